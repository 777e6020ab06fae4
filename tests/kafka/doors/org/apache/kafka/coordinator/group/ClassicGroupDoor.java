package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import kafkacheck.Members;

import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;
import org.apache.kafka.image.MetadataImage;

/**
 * Opens the coordinator of one classic group to Python.
 *
 * Members are numbered in the order in which Kafka gives their ids out. Sets of members and of partitions are bits; -1
 * stands for none. Kafka lets the first member of a hash map lead; the door puts a map in its place that is in the order
 * of the numbers. Else it decides nothing.
 */
public final class ClassicGroupDoor {
    private static final String GROUP = "group";
    private static final String PROTOCOL = "protocol";
    private static final String TYPE = "not that of consumers, whose metadata Kafka reads";
    private static final int NONE = -1;
    private static final GroupCoordinatorConfig CONFIG = GroupCoordinatorConfig.fromProps(Map.of());

    private final AroundManager around = new AroundManager(CONFIG);
    private final List<String> ids = new ArrayList<>();
    private final ClassicRequests requests = new ClassicRequests(
        around, GROUP, ids::indexOf, ClassicGroupDoor::bits, ClassicGroupDoor::bits);
    private boolean requiresId;

    /** Begin with an empty log. Without `requiresId` the requests to join are older than KIP-394. */
    public void start(int connections, boolean requiresId) throws ReflectiveOperationException {
        this.requiresId = requiresId;
        around.log.clear();
        around.elect(MetadataImage.EMPTY);
        ids.clear();
        requests.start(connections);
    }

    /** JoinGroup. */
    public void join(int connection, int member, int instance, long owned) {
        requests.join(connection, requiresId, id(member), instanceId(instance), TYPE, PROTOCOL, bytes(owned));
        ClassicGroup group = known();
        if (group == null) return;
        putInOrder(group);
        for (Collection<String> each : List.of(group.allMemberIds(), pending(group))) {
            for (String id : each) if (!ids.contains(id)) ids.add(id);
        }
    }

    /** The one member that Kafka has just named, whose number nobody knows yet, is the last one. */
    private void putInOrder(ClassicGroup group) {
        Map<String, ClassicGroupMember> members = found(group, "members");
        if (members instanceof TreeMap) return;
        Map<String, ClassicGroupMember> inOrder = new TreeMap<>(Comparator.<String>comparingInt(
            id -> ids.contains(id) ? ids.indexOf(id) : ids.size()).thenComparing(Comparator.naturalOrder()));
        inOrder.putAll(members);
        Members.set(group, "members", inOrder);
    }

    /** SyncGroup; `owner` gets `assigned`, if it is a member. */
    public void sync(int connection, int member, int instance, int generation, int owner, long assigned) {
        SyncGroupRequestData request = new SyncGroupRequestData()
            .setMemberId(id(member))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation);
        if (owner != NONE) {
            request.setAssignments(List.of(
                new SyncGroupRequestAssignment().setMemberId(id(owner)).setAssignment(bytes(assigned))));
        }
        requests.sync(connection, request);
    }

    /** Heartbeat. */
    public void heartbeat(int connection, int member, int instance, int generation) {
        requests.heartbeat(connection, id(member), instanceId(instance), generation);
    }

    /** LeaveGroup of one member. */
    public void leave(int connection, int member, int instance) {
        requests.leave(connection, id(member), instanceId(instance));
    }

    /** The consumer has its answer, or its connection is broken. */
    public void forget(int connection) {
        requests.forget(connection);
    }

    /** How far the request of a connection is. */
    public String stage(int connection) {
        return requests.stage(connection);
    }

    /** The answer that a connection has. */
    public ClassicRequests.Answer answer(int connection) {
        return requests.answer(connection);
    }

    /** The time of a member, or of one that has not joined yet, is over; whether the group had it. */
    public boolean expire(int member, boolean isPending) {
        ClassicGroup group = known();
        String id = id(member);
        boolean was = group != null && (isPending ? group.isPendingMember(id) : group.hasMember(id));
        if (was) around.timeOut(GroupMetadataManager.classicGroupHeartbeatKey(GROUP, id));
        return was;
    }

    /** The time of a rebalance is over, or that in which a group that was empty waits for more; whether it waited. */
    public boolean endRebalance(boolean isInitial) {
        ClassicGroup group = known();
        if (group == null || !group.isInState(ClassicGroupState.PREPARING_REBALANCE) || isDelayed(group) != isInitial) {
            return false;
        }
        String key = GroupMetadataManager.classicGroupJoinKey(GROUP);
        boolean was = around.timeOut(key);
        // A member that has come in the meantime makes Kafka wait for more, as often as it has time.
        while (isDelayed(group) && around.timeOut(key)) continue;
        return was;
    }

    private static boolean isDelayed(ClassicGroup group) {
        return group.isInState(ClassicGroupState.PREPARING_REBALANCE)
            && group.previousState() == ClassicGroupState.EMPTY;
    }

    /** The state of the group. */
    public String state() {
        ClassicGroup group = known();
        return group == null ? ClassicGroupState.EMPTY.name() : group.currentState().name();
    }

    /** Generation, leader, whether it waits for more members, who is pending, and how many ids were given out. */
    public long[] group() {
        ClassicGroup group = known();
        if (group == null) return new long[] {0, NONE, 0, 0, 0};
        long pending = 0;
        for (String id : pending(group)) pending |= 1L << ids.indexOf(id);
        return new long[] {
            group.generationId(), ids.indexOf(String.valueOf(group.leaderOrNull())), isDelayed(group) ? 1 : 0, pending,
            ids.size()
        };
    }

    /** Instance, whether it is new, awaits the others, and awaits its assignment; what it owns, and has; or null. */
    public long[] member(int member) {
        ClassicGroup group = known();
        if (group == null || !group.hasMember(id(member))) return null;
        ClassicGroupMember known = group.member(id(member));
        return new long[] {
            known.groupInstanceId().map(Integer::parseInt).orElse(NONE), known.isNew() ? 1 : 0,
            known.isAwaitingJoin() ? 1 : 0, known.isAwaitingSync() ? 1 : 0, bits(known.metadata(PROTOCOL)),
            bits(known.assignment())
        };
    }

    private ClassicGroup known() {
        try {
            return around.manager().classicGroup(GROUP, Long.MAX_VALUE);
        } catch (ApiException error) {
            return null;
        }
    }

    private static Collection<String> pending(ClassicGroup group) {
        return new TreeSet<>(ClassicGroupDoor.<Collection<String>>found(group, "pendingJoinMembers"));
    }

    @SuppressWarnings("unchecked")
    private static <T> T found(ClassicGroup group, String field) {
        return (T) Members.get(group, field);
    }

    private String id(int member) {
        if (member == NONE) return "";
        return member < ids.size() ? ids.get(member) : "unknown" + member;
    }

    private static String instanceId(int instance) {
        return instance == NONE ? null : String.valueOf(instance);
    }

    private static byte[] bytes(long bits) {
        return new byte[] {(byte) bits};
    }

    private static long bits(byte[] bytes) {
        return bytes.length == 0 ? 0 : bytes[0];
    }
}
