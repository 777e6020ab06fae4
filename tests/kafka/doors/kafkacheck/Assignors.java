package kafkacheck;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Asks an assignor about many groups at once. Each group is a row of numbers: the size of each topic (0: there is none);
 * the racks of each partition's replicas as bits; then for each member its topics as bits (-1: it is not in the group),
 * the partitions that it owns as bits, its generation, its rack and its instance id (0: none).
 */
public final class Assignors {
    /** In place of the partitions of a member: the assignor threw an exception. */
    public static final int FAILED = -1;
    private static final int FIELDS = 5;

    private final String kind;
    private final String[] members;
    private final String[] topics;
    private final Uuid[] ids;
    private final int width;
    private int[] row;

    /** Names by number; of a topic `width` partitions are numbered. The ids decide the order in Kafka's hash maps. */
    public Assignors(String kind, String[] members, String[] topics, long[] hashes, int width) {
        this.kind = kind;
        this.members = members;
        this.topics = topics;
        this.width = width;
        ids = new Uuid[topics.length];
        for (int topic = 0; topic < topics.length; topic++) ids[topic] = new Uuid(topic + 1, (topic + 1) ^ hashes[topic]);
    }

    /** What each member gets in each group, as bits. */
    public int[] answers(int[] rows) throws Exception {
        int length = topics.length * (1 + width) + members.length * FIELDS;
        int[] answers = new int[rows.length / length * members.length];
        for (int group = 0; group * length < rows.length; group++) {
            row = Arrays.copyOfRange(rows, group * length, (group + 1) * length);
            int[] answer;
            try {
                answer = kind.contains(".coordinator.") ? askedCoordinator() : askedConsumer();
            } catch (RuntimeException error) {
                answer = new int[members.length];
                Arrays.fill(answer, FAILED);
            }
            System.arraycopy(answer, 0, answers, group * members.length, members.length);
        }
        return answers;
    }

    private Object made() throws ReflectiveOperationException {
        return Class.forName(kind).getConstructor().newInstance();
    }

    private int field(int member, int field) {
        return row[topics.length * (1 + width) + member * FIELDS + field];
    }

    private boolean isIn(int member) {
        return field(member, 0) >= 0;
    }

    private boolean owns(int member, int topic, int partition) {
        return (field(member, 1) >> topic * width + partition & 1) == 1;
    }

    private static Optional<String> name(String kind, int number) {
        return number == 0 ? Optional.empty() : Optional.of(kind + number);
    }

    private int[] askedConsumer() throws ReflectiveOperationException {
        Map<String, Subscription> subscriptions = new HashMap<>();
        for (int member = 0; member < members.length; member++) {
            if (isIn(member)) subscriptions.put(members[member], subscription(member));
        }
        ConsumerPartitionAssignor assignor = (ConsumerPartitionAssignor) made();
        var assignment = assignor.assign(cluster(), new GroupSubscription(subscriptions)).groupAssignment();
        int[] answer = new int[members.length];
        for (int member = 0; member < members.length; member++) {
            if (isIn(member)) {
                for (TopicPartition each : assignment.get(members[member]).partitions()) {
                    answer[member] |= 1 << Arrays.asList(topics).indexOf(each.topic()) * width + each.partition();
                }
            }
        }
        return answer;
    }

    private Subscription subscription(int member) {
        List<String> wanted = new ArrayList<>();
        List<TopicPartition> owned = new ArrayList<>();
        for (int topic = 0; topic < topics.length; topic++) {
            if ((field(member, 0) >> topic & 1) == 1) wanted.add(topics[topic]);
            for (int partition = 0; partition < width; partition++) {
                if (owns(member, topic, partition)) owned.add(new TopicPartition(topics[topic], partition));
            }
        }
        int generation = field(member, 2);
        StickyAssignor before = new StickyAssignor();
        boolean isSticky = kind.endsWith(".StickyAssignor");
        if (isSticky && (generation >= 0 || !owned.isEmpty())) {
            before.onAssignment(
                new ConsumerPartitionAssignor.Assignment(owned),
                new ConsumerGroupMetadata("group", generation, members[member], Optional.empty()));
        }
        Subscription made = new Subscription(
            wanted,
            isSticky ? before.subscriptionUserData(new HashSet<>(wanted)) : null,
            isSticky ? List.of() : owned,
            generation,
            name("r", field(member, 3)));
        made.setGroupInstanceId(name("i", field(member, 4)));
        return made;
    }

    private Cluster cluster() {
        List<PartitionInfo> partitions = new ArrayList<>();
        for (int topic = 0; topic < topics.length; topic++) {
            for (int partition = 0; partition < row[topic]; partition++) {
                Node[] replicas = nodes(row[topics.length + topic * width + partition]);
                partitions.add(new PartitionInfo(topics[topic], partition, Node.noNode(), replicas, replicas));
            }
        }
        return new Cluster("cluster", List.of(), partitions, Set.of(), Set.of());
    }

    private static Node[] nodes(int racks) {
        if (racks == 0) return new Node[] {new Node(0, "host", 0)};
        List<Node> nodes = new ArrayList<>();
        for (int rack = 1; racks >> rack - 1 > 0; rack++) {
            if ((racks >> rack - 1 & 1) == 1) nodes.add(new Node(rack, "host", 0, "r" + rack));
        }
        return nodes.toArray(new Node[0]);
    }

    private int[] askedCoordinator() throws ReflectiveOperationException {
        Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Set<Integer> subscriptions = new HashSet<>();
        for (int member = 0; member < members.length; member++) {
            if (isIn(member)) {
                specs.put(members[member], spec(member, owners));
                subscriptions.add(field(member, 0));
            }
        }
        SubscriptionType type = subscriptions.size() > 1 ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
        ConsumerGroupPartitionAssignor assignor = (ConsumerGroupPartitionAssignor) made();
        var assignment = assignor.assign(new GroupSpecImpl(specs, type, owners), describer()).members();
        int[] answer = new int[members.length];
        for (int member = 0; member < members.length; member++) {
            MemberAssignment given = assignment.get(members[member]);
            if (given != null) answer[member] = bits(given.partitions());
        }
        return answer;
    }

    private MemberSubscriptionAndAssignmentImpl spec(int member, Map<Uuid, Map<Integer, String>> owners) {
        Set<Uuid> wanted = new HashSet<>();
        Map<Uuid, Set<Integer>> owned = new HashMap<>();
        for (int topic = 0; topic < topics.length; topic++) {
            if ((field(member, 0) >> topic & 1) == 1 && row[topic] > 0) wanted.add(ids[topic]);
            for (int partition = 0; partition < width; partition++) {
                if (owns(member, topic, partition)) {
                    owned.computeIfAbsent(ids[topic], none -> new HashSet<>()).add(partition);
                    owners.computeIfAbsent(ids[topic], none -> new HashMap<>()).put(partition, members[member]);
                }
            }
        }
        return new MemberSubscriptionAndAssignmentImpl(
            name("r", field(member, 3)), name("i", field(member, 4)), wanted,
            new org.apache.kafka.coordinator.group.modern.Assignment(owned));
    }

    private int bits(Map<Uuid, Set<Integer>> partitions) {
        int bits = 0;
        for (var each : partitions.entrySet()) {
            int topic = Arrays.asList(ids).indexOf(each.getKey());
            for (int partition : each.getValue()) bits |= 1 << topic * width + partition;
        }
        return bits;
    }

    private SubscribedTopicDescriber describer() {
        return new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid topic) {
                int size = row[Arrays.asList(ids).indexOf(topic)];
                return size == 0 ? -1 : size;
            }

            @Override
            public Set<String> racksForPartition(Uuid topic, int partition) {
                Set<String> racks = new HashSet<>();
                int bits = row[topics.length + Arrays.asList(ids).indexOf(topic) * width + partition];
                for (Node node : nodes(bits)) if (node.hasRack()) racks.add(node.rack());
                return racks;
            }
        };
    }
}
