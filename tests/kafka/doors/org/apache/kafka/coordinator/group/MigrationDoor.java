package org.apache.kafka.coordinator.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import kafkacheck.Members;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;

/**
 * Opens the coordinator of a group that is a classic one or one of the new protocol to Python.
 *
 * It adds the requests of the classic protocol to `GroupDoor`. Kafka gives a classic member its id; the door calls it
 * by the number of the consumer that has it. It decides nothing.
 */
public class MigrationDoor extends GroupDoor {
    private static final String TYPE = "consumer";
    private static final String PROTOCOL = "range";
    private static final int NONE = -1;
    private static final int MOST_MEMBERS = 8;
    final ClassicRequests requests = new ClassicRequests(
        around, GROUP, this::numberOf, MigrationDoor::ownedIn, MigrationDoor::assignedIn);
    final Map<Integer, String> ids = new HashMap<>();
    private int joining;

    /** The coordinator has the configuration with which its assignor may wait. */
    public MigrationDoor() { }

    MigrationDoor(GroupCoordinatorConfig config) {
        super(config);
    }

    @Override
    public void start(int topics, long existing) throws ReflectiveOperationException {
        super.start(topics, existing);
        order = Comparator.comparingInt(this::placeOf);
        ids.clear();
        requests.start(MOST_MEMBERS);
    }

    @Override
    String name(int member) {
        return ids.getOrDefault(member, super.name(member));
    }

    /** The number of a member; the one whose id nobody knows yet is the one that joins. */
    int placeOf(String id) {
        if (id.startsWith("member")) return Integer.parseInt(id.substring(6));
        return numberOf(id) == NONE ? joining : numberOf(id);
    }

    /** JoinGroup, with the id of a member or without one, in a version that needs none. */
    public void join(int consumer, boolean isNew, int instance, long owned) {
        join(consumer, isNew, instance, new Subscription(
            List.of("topic0"), null, partitions(owned), NONE, Optional.empty()));
    }

    void join(int consumer, boolean isNew, int instance, Subscription subscription) {
        if (isNew) ids.remove(consumer);
        joining = consumer;
        clock.sleep(STEP_MS);
        requests.join(
            consumer, instance != NONE, ids.getOrDefault(consumer, ""), instanceId(instance), TYPE, PROTOCOL,
            array(ConsumerProtocol.serializeSubscription(subscription)));
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
        requests.sync(consumer, new SyncGroupRequestData()
            .setMemberId(name(consumer))
            .setGroupInstanceId(instanceId(instance))
            .setGenerationId(generation)
            .setProtocolType(TYPE)
            .setProtocolName(PROTOCOL)
            .setAssignments(assigned));
    }

    /** Heartbeat of the classic protocol. */
    public void beat(int consumer, int instance, int generation) {
        requests.heartbeat(consumer, name(consumer), instanceId(instance), generation);
    }

    /** LeaveGroup of one member. */
    public void leave(int consumer, int instance) {
        requests.leave(consumer, name(consumer), instanceId(instance));
    }

    /** The consumer has its answer, or its connection is broken. */
    public void forget(int consumer) {
        requests.forget(consumer);
    }

    /** How far the request of a consumer is. */
    public String stage(int consumer) {
        return requests.stage(consumer);
    }

    /** The answer that a consumer has. */
    public ClassicRequests.Answer answer(int consumer) {
        return requests.answer(consumer);
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

    int numberOf(String id) {
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

    /** Whether the target assignment was deleted, and has no epoch. */
    public boolean targetIsDeleted() {
        return known() != null && known().assignmentEpoch() == NONE;
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
        return new long[] {
            known.groupInstanceId().map(each -> Long.parseLong(each.substring(8))).orElse(-1L), assignedIn(known.assignment()),
            ownedIn(known.metadata(PROTOCOL)),
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

    private static long ownedIn(byte[] metadata) {
        return bits(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata)).ownedPartitions());
    }

    /** A member that has no assignment yet has no bytes. */
    private static long assignedIn(byte[] assignment) {
        if (assignment.length == 0) return 0;
        return bits(ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment)).partitions());
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
