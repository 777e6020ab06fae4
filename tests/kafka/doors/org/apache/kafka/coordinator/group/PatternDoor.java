package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

import kafkacheck.Members;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.image.MetadataDelta;

/**
 * Opens the coordinator of a group whose members may subscribe by a pattern to Python.
 *
 * Pattern n matches the topics from number n on. The door stands for the executor that resolves patterns, for the time
 * since it has, and for the cluster's metadata, in which topics come and go. It decides nothing.
 */
public final class PatternDoor extends MigrationDoor {
    private static final String KEY = GROUP + "-regex";
    private static final long NONE = -1;
    private static final long SHORT_MS = 10_000;
    private static final long PERIOD_MS = 600_000;
    private static final GroupCoordinatorConfig EAGER = GroupCoordinatorConfig.fromProps(Map.of(
        "group.consumer.assignors", List.of(Keeping.class.getName()), "group.consumer.assignment.interval.ms", 0,
        "group.consumer.min.assignment.interval.ms", 0));

    /** The assignor of the coordinator never waits. */
    public PatternDoor() {
        super(EAGER);
    }

    @Override
    public void start(int topics, long existing) throws ReflectiveOperationException {
        super.start(topics, existing);
        update(new MetadataDelta.Builder().setImage(image).build());
    }

    @Override
    public void replace(boolean compacts) throws ReflectiveOperationException {
        super.replace(compacts);
        update(new MetadataDelta.Builder().setImage(image).build());
    }

    /** Let it be so long since patterns were resolved: shorter than 10 seconds, longer, or longer than 10 minutes. */
    public void waited(int waited) {
        if (known() == null || known().numResolvedRegularExpressions() == 0) return;
        long due = List.of(1L, SHORT_MS + 1, PERIOD_MS + 1).get(waited);
        clock.sleep(known().lastResolvedRegularExpressionRefreshTimeMs() + due - clock.milliseconds());
    }

    /** ConsumerGroupHeartbeat; -1 stands for topics that it does not name, and for no pattern. */
    public Reply ask(
        int member, int epoch, boolean namesTimeout, long subscribed, boolean namesPattern, int pattern, long owned
    ) {
        ConsumerGroupHeartbeatRequestData request = new ConsumerGroupHeartbeatRequestData()
            .setGroupId(GROUP)
            .setMemberId(name(member))
            .setMemberEpoch(epoch)
            .setInstanceId(instances.get(member))
            .setRebalanceTimeoutMs(namesTimeout ? TIMEOUT_MS : -1);
        if (subscribed != NONE) request.setSubscribedTopicNames(topics(subscribed));
        if (namesPattern) request.setSubscribedTopicRegex(text(pattern));
        if (owned != NONE) {
            List<ConsumerGroupHeartbeatRequestData.TopicPartitions> named = new ArrayList<>();
            byTopic(numbers(owned)).forEach((topic, indexes) -> named.add(
                new ConsumerGroupHeartbeatRequestData.TopicPartitions().setTopicId(topic)
                    .setPartitions(new ArrayList<>(new TreeSet<>(indexes)))));
            request.setTopicPartitions(named);
        }
        return asked(request);
    }

    /** JoinGroup of a classic consumer that subscribes to these topics. */
    public void joinTo(int consumer, boolean isNew, int instance, long subscribed, long owned) {
        List<TopicPartition> partitions = numbers(owned).stream()
            .map(each -> new TopicPartition("topic" + each % topicCount, each / topicCount)).toList();
        join(consumer, isNew, instance, new Subscription(topics(subscribed), null, partitions, -1, Optional.empty()));
    }

    /** A topic is deleted that has only this partition. */
    public void delete(int partition) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        delta.replay(new RemoveTopicRecord().setTopicId(topicOf(partition)));
        update(delta);
    }

    /** How far the resolution of patterns is. */
    public String resolution() {
        if (around.result(KEY) != null) return "RESOLVED";
        return around.isScheduled(KEY) ? "SCHEDULED" : "IDLE";
    }

    /** The patterns that an executor has resolved, and the topics that it has found for one of them; -1 for none. */
    public long[] found() {
        long patterns = 0;
        for (Object each : ((Map<?, ?>) around.result(KEY)).keySet()) patterns |= 1L << number((String) each);
        return new long[] {patterns};
    }

    /** An executor resolves the patterns; whether it was to do so. */
    public boolean execute() {
        if (!around.isScheduled(KEY)) return false;
        around.execute(KEY);
        return true;
    }

    /** The coordinator takes what an executor has found; whether it has found something. */
    public boolean take() {
        if (around.result(KEY) == null) return false;
        around.complete(KEY, null);
        return true;
    }

    /** An executor fails; whether it was to do something. */
    public boolean fail() {
        if (!around.isScheduled(KEY)) return false;
        around.complete(KEY, new IllegalStateException("the executor fails"));
        return true;
    }

    /** The number of the pattern of a member; -1 if it has none. */
    public int pattern(int member) {
        return number(found(member).subscribedTopicRegex());
    }

    /** The topics that a member names. */
    public long told(int member) {
        return bits(found(member).subscribedTopicNames());
    }

    /** The topics of a pattern; -1 if it is not resolved. */
    public long resolved(int pattern) {
        if (known() == null) return NONE;
        Optional<?> found = known().resolvedRegularExpression(text(pattern));
        return found.isEmpty() ? NONE : bits((Collection<?>) Members.get(found.get(), "topics"));
    }

    private static long bits(Collection<?> topics) {
        long bits = 0;
        for (Object each : topics) bits |= 1L << Integer.parseInt(((String) each).substring(5));
        return bits;
    }

    private static List<String> topics(long bits) {
        return numbers(bits).stream().map(each -> "topic" + each).toList();
    }

    private static String text(int pattern) {
        return pattern == NONE ? "" : "topic[" + pattern + "-9]";
    }

    private static int number(String text) {
        return text == null || text.isEmpty() ? -1 : text.charAt(6) - '0';
    }
}
