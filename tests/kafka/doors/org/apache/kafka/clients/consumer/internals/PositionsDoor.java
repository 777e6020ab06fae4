package org.apache.kafka.clients.consumer.internals;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
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
 * A poll brings one record. It decides nothing. An offset that there is not is -1.
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
        Object metadata = StandIn.of(ConsumerMetadata.class, Set.of("requestUpdate"), (name, given) -> 0);
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
