package org.apache.kafka.coordinator.group;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import kafkacheck.Members;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.controller.StandingClock;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.modern.MemberAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

/**
 * Opens the coordinator of one consumer group of the new protocol to Python.
 *
 * It stands for the cluster's metadata; `AroundManager` stands for all else around the coordinator. Members, topics
 * and partitions are numbered; topics take turns in numbering partitions. Sets of these numbers are bits. It decides
 * nothing.
 */
public class GroupDoor {
    /** The response to a heartbeat: the name of the error, the member's epoch, and the assignment; -1 for none. */
    public record Reply(String error, int memberEpoch, long assigned) { }

    /** The assignor of the models (`impl/consumer_group/assignment.py`): balanced, and members keep what they may. */
    public static final class Keeping implements ConsumerGroupPartitionAssignor {
        @Override
        public String name() {
            return "keeping";
        }

        @Override
        public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
            List<String> members = new ArrayList<>(group.memberIds());
            members.sort(order);
            Set<Integer> known = new TreeSet<>();
            Map<String, Set<Integer>> kept = new LinkedHashMap<>();
            for (String member : members) {
                for (Uuid topic : group.memberSubscription(member).subscribedTopicIds()) {
                    for (int index = 0; index < topics.numPartitions(topic); index++) known.add(number(topic, index));
                }
            }
            for (String member : members) {
                Set<Integer> own = new TreeSet<>();
                group.memberAssignment(member).partitions().forEach((topic, indexes) -> {
                    if (group.memberSubscription(member).subscribedTopicIds().contains(topic)) {
                        for (int index : indexes) own.add(number(topic, index));
                    }
                });
                own.retainAll(known);
                for (int each : new ArrayList<>(own)) {
                    if (own.size() * members.size() > known.size() + members.size() - 1) own.remove(each);
                }
                kept.put(member, own);
            }
            for (int each : known) {
                if (kept.values().stream().anyMatch(own -> own.contains(each))) continue;
                String chosen = null;
                for (String member : members) {
                    boolean may = group.memberSubscription(member).subscribedTopicIds().contains(topicOf(each));
                    if (may && (chosen == null || kept.get(member).size() < kept.get(chosen).size())) chosen = member;
                }
                if (chosen != null) kept.get(chosen).add(each);
            }
            Map<String, MemberAssignment> assigned = new HashMap<>();
            kept.forEach((member, own) -> assigned.put(member, new MemberAssignmentImpl(byTopic(own))));
            return new GroupAssignment(assigned);
        }
    }

    static final String GROUP = "group";
    static final int TIMEOUT_MS = 30_000;
    static final int STEP_MS = 2_000;
    private static final long NONE = -1;
    private static final GroupCoordinatorConfig CONFIG = GroupCoordinatorConfig.fromProps(
        Map.of("group.consumer.assignors", List.of(Keeping.class.getName())));
    static int topicCount = 1;
    /** In which order the assignor goes through the members. */
    static Comparator<String> order = Comparator.naturalOrder();

    private final RequestContext context = AroundManager.context(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 1);
    final AroundManager around;
    final StandingClock clock;
    final Map<Integer, String> instances = new HashMap<>();
    MetadataImage image;
    private long version;

    /** The coordinator has the configuration with which its assignor may wait. */
    public GroupDoor() {
        this(CONFIG);
    }

    GroupDoor(GroupCoordinatorConfig config) {
        around = new AroundManager(config);
        clock = around.clock;
    }

    /** Begin with an empty log, and a cluster that has these partitions. */
    public void start(int topics, long existing) throws ReflectiveOperationException {
        topicCount = topics;
        around.log.clear();
        image = MetadataImage.EMPTY;
        image = with(existing).apply(MetadataProvenance.EMPTY);
        around.elect(image);
    }

    /** From now on a member is a static one, and its heartbeats have this instance id. */
    public void giveInstance(int member, int instance) {
        instances.put(member, "instance" + instance);
    }

    /** A new coordinator, which reads the log; with `compacts` only the newest record of each key. */
    public void replace(boolean compacts) throws ReflectiveOperationException {
        if (compacts) {
            Map<Object, CoordinatorRecord> newest = new LinkedHashMap<>();
            for (CoordinatorRecord each : around.log) {
                Object key = Members.call(each, "key");
                newest.remove(key);
                newest.put(key, each);
            }
            around.log.clear();
            around.log.addAll(newest.values());
        }
        around.elect(image);
    }

    /**
     * ConsumerGroupHeartbeat; -1 stands for a set that the request does not name. Without `assigns` no time has passed
     * since the assignor ran.
     */
    public Reply heartbeat(
        int member, int epoch, boolean namesTimeout, long subscribed, long owned, boolean assigns
    ) {
        long now = clock.milliseconds();
        clock.sleep(assigns ? STEP_MS : (Long) Members.call(known(), "assignmentTimestamp") - now);
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
            .setGroupId(GROUP)
            .setMemberId(name(member))
            .setMemberEpoch(epoch)
            .setInstanceId(instances.get(member))
            .setRebalanceTimeoutMs(namesTimeout ? TIMEOUT_MS : -1);
        if (subscribed != NONE) {
            request.setSubscribedTopicNames(numbers(subscribed).stream().map(each -> "topic" + each).toList());
        }
        if (owned != NONE) {
            List<ConsumerGroupHeartbeatRequestData.TopicPartitions> named = new ArrayList<>();
            byTopic(numbers(owned)).forEach((topic, indexes) -> named.add(
                new ConsumerGroupHeartbeatRequestData.TopicPartitions().setTopicId(topic)
                    .setPartitions(new ArrayList<>(new TreeSet<>(indexes)))));
            request.setTopicPartitions(named);
        }
        Reply reply = asked(request);
        if (!assigns) clock.sleep(now - clock.milliseconds());
        return reply;
    }

    /** Handle a request. */
    public Reply asked(ConsumerGroupHeartbeatRequestData request) {
        try {
            ConsumerGroupHeartbeatResponseData response = (ConsumerGroupHeartbeatResponseData)
                around.asked("consumerGroupHeartbeat", context, request);
            long assigned = NONE;
            if (response.assignment() != null) {
                assigned = 0;
                for (ConsumerGroupHeartbeatResponseData.TopicPartitions each : response.assignment().topicPartitions()) {
                    for (int index : each.partitions()) assigned |= 1L << number(each.topicId(), index);
                }
            }
            return new Reply(Errors.NONE.name(), response.memberEpoch(), assigned);
        } catch (ApiException | NoSuchElementException error) {
            return new Reply(Errors.forException(error).name(), 0, NONE);
        }
    }

    /** The time of a member's session, or of its rebalance, is over; whether the coordinator watches that time. */
    public boolean timeOut(int member, boolean isRebalance) {
        String key = (isRebalance ? "rebalance" : "session") + "-timeout-" + GROUP + "-" + name(member);
        clock.sleep(STEP_MS);
        return around.timeOut(key);
    }

    /** The cluster has more partitions now. */
    public void create(long added) {
        clock.sleep(STEP_MS);
        update(with(added));
    }

    /** The coordinator hears of newer metadata. */
    void update(MetadataDelta delta) {
        image = delta.apply(new MetadataProvenance(++version, 0, 0, true));
        Object newImage = AroundManager.forCoordinator(image);
        for (Method method : GroupMetadataManager.class.getMethods()) {
            if (method.getName().equals("onNewMetadataImage")) {
                Members.invoked(method, around.manager(), newImage, deltaForCoordinator(delta));
            } else if (method.getName().equals("onMetadataUpdate")) {
                Members.invoked(method, around.manager(), deltaForCoordinator(delta), newImage);
            }
        }
    }

    private MetadataDelta with(long added) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        for (int each : numbers(added)) {
            Uuid topic = topicOf(each);
            if (each / topicCount == 0) {
                delta.replay(new TopicRecord().setTopicId(topic).setName("topic" + each % topicCount));
            }
            delta.replay(new PartitionRecord().setTopicId(topic).setPartitionId(each / topicCount)
                .setReplicas(List.of(0)).setIsr(List.of(0)).setLeader(0));
        }
        return delta;
    }

    private static Object deltaForCoordinator(MetadataDelta given) {
        String type = "org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataDelta";
        return Members.has(type) ? Members.made(Members.type(type), given) : given;
    }

    /** The group epoch, that of the target assignment, then the epoch of each partition; -1 for none. */
    public int[] group(int partitions) {
        ConsumerGroup group = known();
        int[] epochs = new int[2 + partitions];
        for (int each = 0; each < partitions; each++) {
            epochs[2 + each] = group == null ? -1 : group.currentPartitionEpoch(topicOf(each), each / topicCount);
        }
        if (group == null) return epochs;
        epochs[0] = group.groupEpoch();
        epochs[1] = group.assignmentEpoch();
        return epochs;
    }

    /** The state of a member; null if it is none. */
    public String state(int member) {
        ConsumerGroupMember found = found(member);
        return found == null ? null : found.state().name();
    }

    /** The instance id of a member; -1 if it has none. */
    public int instance(int member) {
        String instance = found(member).instanceId();
        return instance == null ? -1 : Integer.parseInt(instance.substring(8));
    }

    /** Epoch, previous epoch, topics, target, partitions, and those to give up; only of a member. */
    public long[] member(int member) {
        ConsumerGroupMember found = found(member);
        long topics = 0;
        for (String each : found.subscribedTopicNames()) topics |= 1L << Integer.parseInt(each.substring(5));
        Object target = known().targetAssignment(name(member)).partitions();
        return new long[] {
            found.memberEpoch(), found.previousMemberEpoch(), topics, bits(target), bits(of(found, "assignedPartitions")),
            bits(of(found, "partitionsPendingRevocation"))
        };
    }

    /** Whether a commit of a member with this epoch is accepted for a partition; the name of the error. */
    public String commit(int member, int epoch, int partition) {
        try {
            Method method = Members.method(ConsumerGroup.class, "validateOffsetCommit", 5);
            boolean isShort = method.getParameterTypes()[4] == short.class;
            Object validator = Members.invoked(
                method, known(), name(member), null, epoch, false, isShort ? (Object) (short) 9 : (Object) 9
            );
            if (validator != null) {
                Method validate = Stream.of(validator.getClass().getDeclaredMethods())
                    .filter(each -> each.getName().equals("validate")).findFirst().orElseThrow();
                validate.setAccessible(true);
                Object[] named = validate.getParameterCount() == 2
                    ? new Object[] {topicOf(partition), partition / topicCount}
                    : new Object[] {"topic" + partition % topicCount, topicOf(partition), partition / topicCount};
                Members.invoked(validate, validator, named);
            }
            return Errors.NONE.name();
        } catch (ApiException error) {
            return Errors.forException(error).name();
        }
    }

    private static Object of(ConsumerGroupMember member, String name) {
        return Members.call(member, name);
    }

    ConsumerGroupMember found(int member) {
        ConsumerGroup group = known();
        return group == null ? null : group.members().get(name(member));
    }

    ConsumerGroup known() {
        try {
            return around.manager().consumerGroup(GROUP);
        } catch (ApiException error) {
            return null;
        }
    }

    /** The bits of partitions by topic, which later releases keep with an epoch for each. */
    static long bits(Object partitions) {
        long bits = 0;
        for (Map.Entry<?, ?> each : ((Map<?, ?>) partitions).entrySet()) {
            Collection<?> indexes = each.getValue() instanceof Map<?, ?> epochs
                ? epochs.keySet() : (Collection<?>) each.getValue();
            for (Object index : indexes) bits |= 1L << number((Uuid) each.getKey(), (Integer) index);
        }
        return bits;
    }

    /** The id of a member. */
    String name(int member) {
        return "member" + member;
    }

    static Uuid topicOf(int partition) {
        return new Uuid(1, partition % topicCount + 1);
    }

    static int number(Uuid topic, int index) {
        return index * topicCount + (int) topic.getLeastSignificantBits() - 1;
    }

    static Set<Integer> numbers(long bits) {
        Set<Integer> numbers = new TreeSet<>();
        for (int each = 0; each < Long.SIZE; each++) if ((bits >> each & 1) == 1) numbers.add(each);
        return numbers;
    }

    static Map<Uuid, Set<Integer>> byTopic(Set<Integer> partitions) {
        Map<Uuid, Set<Integer>> found = new LinkedHashMap<>();
        for (int each : partitions) {
            found.computeIfAbsent(topicOf(each), topic -> new HashSet<>()).add(each / topicCount);
        }
        return found;
    }
}
