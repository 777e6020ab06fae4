package org.apache.kafka.coordinator.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import kafkacheck.Members;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
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

/**
 * Opens the coordinator of a group that is a classic one or one of the new protocol to Python.
 *
 * It adds the requests of the classic protocol to `GroupDoor`. Kafka gives a classic member its id; the door calls it
 * by the number of the consumer that has it. It decides nothing.
 */
public final class MigrationDoor extends GroupDoor {
    /** The answer to a request of the classic protocol: the name of the error, and what is in it; `owned` by member. */
    public record Answer(String error, int member, int generation, long members, long[] owned, long assigned) { }

    private static final String TYPE = "consumer";
    private static final String PROTOCOL = "range";
    private static final int SESSION_MS = 10_000;
    private static final int REBALANCE_MS = 30_000;
    private static final int NONE = -1;
    private static final int BEFORE_IDS_ARE_REQUIRED = 3;
    private static final int MOST_MEMBERS = 8;
    private static final boolean ASKS_ABOUT_CLEANUP = Arrays.stream(GroupCoordinatorShard.class.getMethods())
        .anyMatch(each -> each.getName().equals("classicGroupJoin") && each.getParameterCount() == 4);

    private final RequestContext context = AroundManager.context(ApiKeys.HEARTBEAT, ApiKeys.HEARTBEAT.latestVersion());
    private final RequestContext before = AroundManager.context(ApiKeys.JOIN_GROUP, BEFORE_IDS_ARE_REQUIRED);
    private final RequestContext newest = AroundManager.context(ApiKeys.JOIN_GROUP, ApiKeys.JOIN_GROUP.latestVersion());
    private final Map<Integer, String> ids = new HashMap<>();
    private final CompletableFuture<?>[] requests = new CompletableFuture<?>[MOST_MEMBERS];

    private int joining;

    @Override
    public void start(int topics, long existing) throws ReflectiveOperationException {
        super.start(topics, existing);
        order = Comparator.comparingInt(this::placeOf);
        ids.clear();
        Arrays.fill(requests, null);
    }

    @Override
    String name(int member) {
        return ids.getOrDefault(member, super.name(member));
    }

    /** The number of a member; the one whose id nobody knows yet is the one that joins. */
    private int placeOf(String id) {
        if (id.startsWith("member")) return Integer.parseInt(id.substring(6));
        return numberOf(id) == NONE ? joining : numberOf(id);
    }

    /** JoinGroup, with the id of a member or without one, in a version that needs none. */
    public void join(int consumer, boolean isNew, int instance, long owned) {
        Subscription subscription = new Subscription(
            List.of("topic0"), null, partitions(owned), NONE, Optional.empty());
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName(PROTOCOL)
            .setMetadata(array(ConsumerProtocol.serializeSubscription(subscription))));
        if (isNew) ids.remove(consumer);
        joining = consumer;
        JoinGroupRequestData request = new JoinGroupRequestData()
            .setGroupId(GROUP)
            .setMemberId(ids.getOrDefault(consumer, ""))
            .setGroupInstanceId(instanceId(instance))
            .setProtocolType(TYPE)
            .setProtocols(protocols)
            .setSessionTimeoutMs(SESSION_MS)
            .setRebalanceTimeoutMs(REBALANCE_MS);
        CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        requests[consumer] = answer;
        clock.sleep(STEP_MS);
        RequestContext joining = instance == NONE ? before : newest;
        try {
            if (ASKS_ABOUT_CLEANUP) around.asked("classicGroupJoin", joining, request, answer, false);
            else around.asked("classicGroupJoin", joining, request, answer);
        } catch (ApiException error) {
            answer.complete(new JoinGroupResponseData().setErrorCode(Errors.forException(error).code()));
        }
        learnIds(consumer);
    }

    /** The one member whose number nobody knows yet is the consumer that has just joined. */
    private void learnIds(int consumer) {
        List<String> known = new ArrayList<>();
        ClassicGroup classic = classicGroup();
        if (classic != null) known.addAll(classic.allMemberIds());
        else if (known() != null) known.addAll(known().members().keySet());
        known.removeAll(ids.values());
        known.removeIf(each -> each.startsWith("member"));
        if (known.size() == 1) ids.put(consumer, known.get(0));
    }

    /** SyncGroup, with the assignment of each member if the consumer leads. */
    public void sync(int consumer, int instance, int generation, long[] assignments) {
        List<SyncGroupRequestAssignment> assigned = new ArrayList<>();
        for (int each = 0; each < assignments.length; each++) {
            if (assignments[each] == NONE) continue;
            assigned.add(new SyncGroupRequestAssignment().setMemberId(name(each)).setAssignment(
                array(ConsumerProtocol.serializeAssignment(new Assignment(partitions(assignments[each]))))));
        }
        SyncGroupRequestData request = new SyncGroupRequestData()
            .setGroupId(GROUP)
            .setMemberId(name(consumer))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation)
            .setProtocolType(TYPE)
            .setProtocolName(PROTOCOL)
            .setAssignments(assigned);
        CompletableFuture<SyncGroupResponseData> answer = new CompletableFuture<>();
        requests[consumer] = answer;
        try {
            around.asked("classicGroupSync", context, request, answer);
        } catch (ApiException error) {
            answer.complete(new SyncGroupResponseData().setErrorCode(Errors.forException(error).code()));
        }
    }

    /** Heartbeat of the classic protocol. */
    public void beat(int consumer, int instance, int generation) {
        HeartbeatRequestData request = new HeartbeatRequestData()
            .setGroupId(GROUP)
            .setMemberId(name(consumer))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation);
        HeartbeatResponseData answer;
        try {
            answer = (HeartbeatResponseData) around.asked("classicGroupHeartbeat", context, request);
        } catch (ApiException error) {
            answer = new HeartbeatResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[consumer] = CompletableFuture.completedFuture(answer);
    }

    /** LeaveGroup of one member. */
    public void leave(int consumer, int instance) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(GROUP).setMembers(
            List.of(new MemberIdentity().setMemberId(name(consumer)).setGroupInstanceId(instanceId(instance))));
        LeaveGroupResponseData answer;
        try {
            answer = (LeaveGroupResponseData) around.asked("classicGroupLeave", context, request);
        } catch (ApiException error) {
            answer = new LeaveGroupResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[consumer] = CompletableFuture.completedFuture(answer);
    }

    /** The consumer has its answer, or its connection is broken. */
    public void forget(int consumer) {
        requests[consumer] = null;
    }

    /** The session of a member is over; whether the coordinator watches it. */
    public boolean expire(int member) {
        if (classicGroup() == null) return timeOut(member, false);
        return around.timeOut(GroupMetadataManager.classicGroupHeartbeatKey(GROUP, name(member)));
    }

    /** A classic group that was empty goes on, as far as it can without those that have not joined; whether it waited. */
    public boolean endRebalance() {
        String key = GroupMetadataManager.classicGroupJoinKey(GROUP);
        boolean was = around.timeOut(key);
        // A member that has come in the meantime makes Kafka wait for more, as often as it has time.
        for (int each = 0; each < MOST_MEMBERS && isDelayed() && around.timeOut(key); each++) continue;
        return was;
    }

    private boolean isDelayed() {
        ClassicGroup group = classicGroup();
        return group != null && group.isInState(ClassicGroupState.PREPARING_REBALANCE)
            && group.previousState() == ClassicGroupState.EMPTY;
    }

    /** How far the request of a consumer is. */
    public String stage(int consumer) {
        if (requests[consumer] == null) return "IDLE";
        return requests[consumer].isDone() ? "ANSWERED" : "PARKED";
    }

    /** The answer that a consumer has. A leader that is to skip the assignment counts as told of nobody. */
    public Answer answer(int consumer) {
        Object given = requests[consumer].join();
        if (given instanceof JoinGroupResponseData join) {
            long members = 0;
            long[] owned = new long[MOST_MEMBERS];
            if (!join.skipAssignment()) {
                for (JoinGroupResponseData.JoinGroupResponseMember each : join.members()) {
                    int number = numberOf(each.memberId());
                    members |= 1L << number;
                    owned[number] = bits(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(each.metadata()))
                        .ownedPartitions());
                }
            }
            return new Answer(
                name(join.errorCode()), numberOf(join.memberId()), join.generationId(), members, owned, 0);
        }
        if (given instanceof SyncGroupResponseData sync) {
            long assigned = sync.assignment().length == 0 ? 0 : bits(
                ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(sync.assignment())).partitions());
            return blank(sync.errorCode(), assigned);
        }
        if (given instanceof HeartbeatResponseData heartbeat) return blank(heartbeat.errorCode(), 0);
        LeaveGroupResponseData leave = (LeaveGroupResponseData) given;
        return blank(leave.members().isEmpty() ? leave.errorCode() : leave.members().get(0).errorCode(), 0);
    }

    private Answer blank(short error, long assigned) {
        return new Answer(name(error), NONE, NONE, 0, new long[MOST_MEMBERS], assigned);
    }

    private static String name(short error) {
        return Errors.forCode(error).name();
    }

    private int numberOf(String id) {
        for (Map.Entry<Integer, String> each : ids.entrySet()) if (each.getValue().equals(id)) return each.getKey();
        return NONE;
    }

    /** Whether it is a classic group, and one that exists. */
    public boolean isClassic() {
        return classicGroup() != null;
    }

    /** Whether there is a group. */
    public boolean exists() {
        return isClassic() || known() != null;
    }

    /** Generation, leader, and whether it waits for more members; null if it is no classic group. */
    public long[] classic() {
        ClassicGroup group = classicGroup();
        if (group == null) return null;
        return new long[] {
            group.generationId(), numberOf(String.valueOf(group.leaderOrNull())), isDelayed() ? 1 : 0
        };
    }

    /** Whether a member of a group of the new protocol uses the classic one. */
    public boolean usesClassic(int member) {
        return known().members().get(name(member)).useClassicProtocol();
    }

    /** State and generation of a classic group. */
    public String classicState() {
        ClassicGroup group = classicGroup();
        return group == null ? null : group.currentState() + ", generation " + group.generationId();
    }

    /** Instance, assignment, what it owned, whether it awaits the others and its assignment; null if it is none. */
    public long[] classicMember(int member) {
        ClassicGroup group = classicGroup();
        if (group == null || !group.hasMember(name(member))) return null;
        ClassicGroupMember known = group.member(name(member));
        byte[] assignment = known.assignment();
        long assigned = assignment.length == 0 ? 0 : bits(
            ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment)).partitions());
        return new long[] {
            known.groupInstanceId().map(each -> Long.parseLong(each.substring(8))).orElse(-1L), assigned,
            bits(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(known.metadata(PROTOCOL))).ownedPartitions()),
            known.isAwaitingJoin() ? 1 : 0, known.isAwaitingSync() ? 1 : 0
        };
    }

    private ClassicGroup classicGroup() {
        try {
            return inOrder(around.manager().classicGroup(GROUP, Long.MAX_VALUE));
        } catch (ApiException error) {
            return null;
        }
    }

    /** The members of a group that was converted lead in the order of a hash map; here it is that of their numbers. */
    @SuppressWarnings("unchecked")
    private ClassicGroup inOrder(ClassicGroup group) {
        Map<String, ClassicGroupMember> members = (Map<String, ClassicGroupMember>) Members.get(group, "members");
        if (members instanceof TreeMap) return group;
        TreeMap<String, ClassicGroupMember> inOrder = new TreeMap<>(Comparator.comparingInt(this::placeOf));
        inOrder.putAll(members);
        Members.set(group, "members", inOrder);
        if (!inOrder.isEmpty()) Members.set(group, "leaderId", Optional.of(inOrder.firstKey()));
        return group;
    }

    private static String instanceId(int instance) {
        return instance == NONE ? null : "instance" + instance;
    }

    private static List<TopicPartition> partitions(long bits) {
        return numbers(bits).stream().map(each -> new TopicPartition("topic0", each)).toList();
    }

    private static long bits(List<TopicPartition> partitions) {
        long bits = 0;
        for (TopicPartition each : partitions) bits |= 1L << each.partition();
        return bits;
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
