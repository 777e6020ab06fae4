package org.apache.kafka.clients.consumer.internals;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.controller.StandingClock;
import org.slf4j.LoggerFactory;

/**
 * Opens what a consumer knows of one partition to Python: `SubscriptionState`, `FetchBuffer` and `FetchCollector`.
 *
 * A poll brings one record. It decides nothing. An offset or an epoch that there is not is -1. The consumer's metadata
 * is played: it has the newest leader epoch that was seen, and the leader if that epoch came with metadata.
 */
public final class PositionsDoor {
    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
    private static final int NONE = -1;
    private static final int ANY = 1_000_000;
    private static final Constructor<?> COMPLETED = CompletedFetch.class.getDeclaredConstructors()[0];
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");
    private static final Object SUPPLIER = supplier();

    private final SubscriptionState subscriptions;
    private final FetchBuffer buffer;
    private final FetchCollector<byte[], byte[]> collector;
    private final FetchMetricsAggregator metrics;
    private final ConsumerMetadata metadata;
    private int leaderEpoch = NONE;
    private boolean knowsLeader = false;
    private SubscriptionState.FetchPosition asked;

    @SuppressWarnings("unchecked")
    public PositionsDoor(boolean startsLate) throws ReflectiveOperationException {
        subscriptions = (SubscriptionState) Members.made(
            SubscriptionState.class, LOG_CONTEXT,
            startsLate ? AutoOffsetResetStrategy.LATEST : AutoOffsetResetStrategy.EARLIEST
        );
        subscriptions.subscribe(Set.of(PARTITION.topic()), Optional.empty());
        buffer = (FetchBuffer) Members.made(FetchBuffer.class, LOG_CONTEXT);
        FetchMetricsManager manager = (FetchMetricsManager) Members.made(
            FetchMetricsManager.class, new Metrics(), new FetchMetricsRegistry()
        );
        metrics = new FetchMetricsAggregator(manager, Set.of(PARTITION));
        FetchConfig config = new FetchConfig(1, ANY, ANY, ANY, 1, false, "", IsolationLevel.READ_UNCOMMITTED);
        Set<String> played = Set.of("requestUpdate", "updateLastSeenEpochIfNewer", "currentLeader");
        metadata = StandIn.of(ConsumerMetadata.class, played, (name, given) -> switch (name) {
            case "updateLastSeenEpochIfNewer" -> see((Integer) given[1]);
            case "currentLeader" -> currentLeader();
            default -> 0;
        });
        collector = (FetchCollector<byte[], byte[]>) Members.made(
            FetchCollector.class, LOG_CONTEXT, metadata, subscriptions, config, deserializers(), manager,
            new StandingClock()
        );
    }

    private static Object deserializers() throws ReflectiveOperationException {
        for (Constructor<?> each : Deserializers.class.getConstructors()) {
            Class<?>[] kinds = each.getParameterTypes();
            if (kinds[0] != Deserializer.class) continue;
            return each.newInstance(Arrays.stream(kinds)
                .map(kind -> kind == Metrics.class ? new Metrics() : new ByteArrayDeserializer()).toArray());
        }
        throw new IllegalStateException("Deserializers takes no Deserializer; another release may have changed that");
    }

    private static Object supplier() {
        Class<?> type = Members.type(
            "org.apache.kafka.common.utils.internals.BufferSupplier", "org.apache.kafka.common.utils.BufferSupplier"
        );
        return Members.invoked(Members.method(type, "create", 0), null);
    }

    /** The group gives the partition, or takes it. */
    public void assign(boolean owns) {
        subscriptions.assignFromSubscribed(owns ? List.of(PARTITION) : List.of());
    }

    /** This offset is committed. */
    public void begin(long offset) {
        subscriptions.seekUnvalidated(PARTITION, new SubscriptionState.FetchPosition(offset));
    }

    /** This offset is committed with this epoch. */
    public void resume(long offset, int epoch) {
        ConsumerUtils.refreshCommittedOffsets(
            Map.of(PARTITION, new OffsetAndMetadata(offset, present(epoch), "")), metadata, subscriptions
        );
    }

    private static Optional<Integer> present(int epoch) {
        return epoch == NONE ? Optional.empty() : Optional.of(epoch);
    }

    private boolean see(int epoch) {
        if (epoch <= leaderEpoch) return false;
        leaderEpoch = epoch;
        knowsLeader = false;
        return true;
    }

    private Metadata.LeaderAndEpoch currentLeader() {
        Optional<Node> leader = knowsLeader ? Optional.of(new Node(leaderEpoch, "broker", 1)) : Optional.empty();
        return new Metadata.LeaderAndEpoch(leader, present(leaderEpoch));
    }

    /** Metadata has the leader of this epoch. */
    public void learn(int epoch) {
        leaderEpoch = epoch;
        knowsLeader = true;
        if (owns()) subscriptions.maybeValidatePositionForCurrentLeader(new ApiVersions(), PARTITION, currentLeader());
    }

    /** The consumer has no metadata yet. */
    public void forget() {
        leaderEpoch = NONE;
        knowsLeader = false;
    }

    /** A request to validate the position is sent. */
    public void ask() {
        asked = subscriptions.position(PARTITION);
    }

    /** The answer to that request arrives. */
    public void complete(long end, int epoch) {
        subscriptions.maybeCompleteValidation(
            PARTITION, asked, new EpochEndOffset().setEndOffset(end).setLeaderEpoch(epoch)
        );
    }

    /** No offset is committed. */
    public void askForReset() {
        subscriptions.requestOffsetReset(PARTITION);
    }

    /** A leader tells where to begin. */
    public void reset(long offset) {
        subscriptions.maybeSeekUnvalidated(
            PARTITION, new SubscriptionState.FetchPosition(offset), subscriptions.resetStrategy(PARTITION)
        );
    }

    /** The known leader tells where to begin. */
    public void resetForLeader(long offset) {
        subscriptions.maybeSeekUnvalidated(
            PARTITION, new SubscriptionState.FetchPosition(offset, Optional.empty(), currentLeader()),
            subscriptions.resetStrategy(PARTITION)
        );
    }

    /** The application seeks, and names no epoch; the new position is for the known leader, as KafkaConsumer makes it. */
    public void seekForLeader(long offset) {
        subscriptions.seekUnvalidated(
            PARTITION, new SubscriptionState.FetchPosition(offset, Optional.empty(), currentLeader())
        );
    }

    public void seek(long offset) {
        subscriptions.seek(PARTITION, offset);
    }

    public void pause(boolean pauses) {
        if (pauses) subscriptions.pause(PARTITION);
        else subscriptions.resume(PARTITION);
    }

    /** The offset of the fetch that the consumer would send. */
    public long fetchOffset() {
        Set<TopicPartition> buffered = buffer.bufferedPartitions();
        return subscriptions.fetchablePartitions(each -> !buffered.contains(each)).isEmpty() ? NONE : position();
    }

    /** The records of a fetch from one offset to another one. */
    public void receive(long offset, long end) throws ReflectiveOperationException {
        SimpleRecord[] records = new SimpleRecord[(int) (end - offset)];
        for (int each = 0; each < records.length; each++) records[each] = new SimpleRecord(new byte[0]);
        answer(offset, new FetchResponseData.PartitionData()
            .setHighWatermark(end).setRecords(MemoryRecords.withRecords(offset, Compression.NONE, records)));
    }

    /** The record of this offset, and of this leader epoch. */
    public void receiveOfEpoch(long offset, int epoch) throws ReflectiveOperationException {
        answer(offset, new FetchResponseData.PartitionData().setHighWatermark(offset + 1).setRecords(
            MemoryRecords.withRecords(offset, Compression.NONE, epoch, new SimpleRecord(new byte[0]))
        ));
    }

    /** A fetch is answered with the error that its offset is out of range. */
    public void refuse(long offset) throws ReflectiveOperationException {
        answer(offset, new FetchResponseData.PartitionData().setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code()));
    }

    private void answer(long offset, FetchResponseData.PartitionData data) throws ReflectiveOperationException {
        Map<Class<?>, Object> known = Map.of(
            SubscriptionState.class, subscriptions, TopicPartition.class, PARTITION,
            FetchResponseData.PartitionData.class, data, FetchMetricsAggregator.class, metrics, Long.class, offset,
            short.class, ApiKeys.FETCH.latestVersion(), org.slf4j.Logger.class, LoggerFactory.getLogger("fetch")
        );
        Object[] given = Arrays.stream(COMPLETED.getParameterTypes())
            .map(kind -> known.getOrDefault(kind, kind.isInstance(LOG_CONTEXT) ? LOG_CONTEXT : SUPPLIER)).toArray();
        COMPLETED.setAccessible(true);
        buffer.add((CompletedFetch) COMPLETED.newInstance(given));
    }

    /** The offset of the record that the application gets. */
    public long poll() {
        List<?> records = collector.collectFetch(buffer).records().get(PARTITION);
        return records == null || records.isEmpty() ? NONE : (Long) Members.call(records.get(0), "offset");
    }

    public boolean owns() {
        return subscriptions.isAssigned(PARTITION);
    }

    public long position() {
        SubscriptionState.FetchPosition found = owns() ? subscriptions.positionOrNull(PARTITION) : null;
        return found == null ? NONE : found.offset;
    }

    /** The leader epoch of the record before the position. */
    public int positionEpoch() {
        SubscriptionState.FetchPosition found = owns() ? subscriptions.positionOrNull(PARTITION) : null;
        return found == null ? NONE : found.offsetEpoch.orElse(NONE);
    }

    /** The leader epoch for which the consumer has its position. */
    public int positionLeaderEpoch() {
        SubscriptionState.FetchPosition found = owns() ? subscriptions.positionOrNull(PARTITION) : null;
        return found == null ? NONE : found.currentLeader.epoch.orElse(NONE);
    }

    public boolean mustValidate() {
        return owns() && subscriptions.awaitingValidation(PARTITION);
    }

    public boolean mayFetch() {
        return owns() && subscriptions.hasValidPosition(PARTITION);
    }

    /** The epoch that an automatic commit would name; -1 if there is none, or no commit. */
    public int epochToCommit() {
        OffsetAndMetadata found = subscriptions.allConsumed().get(PARTITION);
        return found == null ? NONE : found.leaderEpoch().orElse(NONE);
    }

    public int seenLeaderEpoch() {
        return leaderEpoch;
    }

    public boolean knowsLeader() {
        return knowsLeader;
    }

    public boolean mustReset() {
        return owns() && subscriptions.isOffsetResetNeeded(PARTITION);
    }

    public boolean isPaused() {
        return subscriptions.isPaused(PARTITION);
    }

    /** The offset of the first record that was fetched and not taken. */
    public long buffered() {
        CompletedFetch next = buffer.nextInLineFetch();
        if (next == null || next.isConsumed()) next = buffer.peek();
        return next == null ? NONE : next.nextFetchOffset();
    }
}
