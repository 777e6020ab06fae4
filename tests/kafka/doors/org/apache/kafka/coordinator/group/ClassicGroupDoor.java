package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import kafkacheck.Members;

import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
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
    /** The answer to a request: the name of the error, and what is in it; `owned` by member. */
    public record Answer(String error, int member, int generation, long members, long[] owned, long assigned) { }

    private static final String GROUP = "group";
    private static final String PROTOCOL = "protocol";
    private static final String TYPE = "not that of consumers, whose metadata Kafka reads";
    private static final int SESSION_MS = 10_000;
    private static final int REBALANCE_MS = 30_000;
    private static final int NONE = -1;
    private static final int BEFORE_IDS_ARE_REQUIRED = 3;
    private static final boolean ASKS_ABOUT_CLEANUP = Arrays.stream(GroupCoordinatorShard.class.getMethods())
        .anyMatch(each -> each.getName().equals("classicGroupJoin") && each.getParameterCount() == 4);
    private static final GroupCoordinatorConfig CONFIG = GroupCoordinatorConfig.fromProps(Map.of());

    private final AroundManager around = new AroundManager(CONFIG);
    private final RequestContext context = AroundManager.context(ApiKeys.HEARTBEAT, ApiKeys.HEARTBEAT.latestVersion());
    private final List<String> ids = new ArrayList<>();
    private RequestContext joining;
    private CompletableFuture<?>[] requests;

    /** Begin with an empty log. Without `requiresId` the requests to join are older than KIP-394. */
    public void start(int connections, boolean requiresId) throws ReflectiveOperationException {
        int version = requiresId ? ApiKeys.JOIN_GROUP.latestVersion() : BEFORE_IDS_ARE_REQUIRED;
        joining = AroundManager.context(ApiKeys.JOIN_GROUP, version);
        around.log.clear();
        around.elect(MetadataImage.EMPTY);
        ids.clear();
        requests = new CompletableFuture<?>[connections];
    }

    /** JoinGroup. */
    public void join(int connection, int member, int instance, long owned) {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName(PROTOCOL).setMetadata(bytes(owned)));
        JoinGroupRequestData request = new JoinGroupRequestData()
            .setGroupId(GROUP)
            .setMemberId(id(member))
            .setGroupInstanceId(instanceId(instance))
            .setProtocolType(TYPE)
            .setProtocols(protocols)
            .setSessionTimeoutMs(SESSION_MS)
            .setRebalanceTimeoutMs(REBALANCE_MS);
        CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        requests[connection] = answer;
        if (ASKS_ABOUT_CLEANUP) around.asked("classicGroupJoin", joining, request, answer, false);
        else around.asked("classicGroupJoin", joining, request, answer);
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
            .setGroupId(GROUP)
            .setMemberId(id(member))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation);
        if (owner != NONE) {
            request.setAssignments(List.of(
                new SyncGroupRequestAssignment().setMemberId(id(owner)).setAssignment(bytes(assigned))));
        }
        CompletableFuture<SyncGroupResponseData> answer = new CompletableFuture<>();
        requests[connection] = answer;
        around.asked("classicGroupSync", context, request, answer);
    }

    /** Heartbeat. */
    public void heartbeat(int connection, int member, int instance, int generation) {
        HeartbeatRequestData request = new HeartbeatRequestData()
            .setGroupId(GROUP)
            .setMemberId(id(member))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation);
        HeartbeatResponseData answer;
        try {
            answer = (HeartbeatResponseData) around.asked("classicGroupHeartbeat", context, request);
        } catch (ApiException error) {
            answer = new HeartbeatResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[connection] = CompletableFuture.completedFuture(answer);
    }

    /** LeaveGroup of one member. */
    public void leave(int connection, int member, int instance) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(GROUP).setMembers(
            List.of(new MemberIdentity().setMemberId(id(member)).setGroupInstanceId(instanceId(instance))));
        LeaveGroupResponseData answer;
        try {
            answer = (LeaveGroupResponseData) around.asked("classicGroupLeave", context, request);
        } catch (ApiException error) {
            answer = new LeaveGroupResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[connection] = CompletableFuture.completedFuture(answer);
    }

    /** The consumer has its answer, or its connection is broken. */
    public void forget(int connection) {
        requests[connection] = null;
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

    /** How far the request of a connection is. */
    public String stage(int connection) {
        if (requests[connection] == null) return "IDLE";
        return requests[connection].isDone() ? "ANSWERED" : "PARKED";
    }

    /** The answer that a connection has. A leader that is to skip the assignment counts as told of nobody. */
    public Answer answer(int connection) {
        Object given = requests[connection].join();
        if (given instanceof JoinGroupResponseData join) {
            long members = 0;
            long[] owned = new long[ids.size()];
            if (!join.skipAssignment()) {
                for (JoinGroupResponseData.JoinGroupResponseMember each : join.members()) {
                    members |= 1L << ids.indexOf(each.memberId());
                    owned[ids.indexOf(each.memberId())] = bits(each.metadata());
                }
            }
            return new Answer(
                name(join.errorCode()), ids.indexOf(join.memberId()), join.generationId(), members, owned, 0);
        }
        if (given instanceof SyncGroupResponseData sync) return blank(sync.errorCode(), bits(sync.assignment()));
        if (given instanceof HeartbeatResponseData heartbeat) return blank(heartbeat.errorCode(), 0);
        LeaveGroupResponseData leave = (LeaveGroupResponseData) given;
        return blank(leave.members().isEmpty() ? leave.errorCode() : leave.members().get(0).errorCode(), 0);
    }

    private Answer blank(short error, long assigned) {
        return new Answer(name(error), NONE, NONE, 0, new long[ids.size()], assigned);
    }

    private static String name(short error) {
        return Errors.forCode(error).name();
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
