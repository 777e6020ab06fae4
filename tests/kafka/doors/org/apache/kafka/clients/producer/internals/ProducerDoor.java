package org.apache.kafka.clients.producer.internals;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import kafkacheck.Members;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.HeldNetwork;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;

/** Opens a producer's sender, its buffer and its transaction manager. A batch has the number of its first record. */
public final class ProducerDoor {
    private static final long NONE = -1;
    private static final Method AWAIT = Arrays.stream(TransactionalRequestResult.class.getMethods())
        .filter(each -> each.getName().equals("await"))
        .max(Comparator.comparingInt(Method::getParameterCount)).orElseThrow();

    private final Sender sender;
    private final RecordAccumulator accumulator;
    private final TransactionManager manager;
    private final ProducerMetadata metadata;
    private final HeldNetwork network;
    private final TopicPartition[] partitions;
    private final List<FutureRecordMetadata> records = new ArrayList<>();
    private final List<ProducerBatch> batches = new ArrayList<>();

    public ProducerDoor(
        Sender sender, RecordAccumulator accumulator, TransactionManager manager, ProducerMetadata metadata,
        HeldNetwork network, String topic, int partitions
    ) {
        this.sender = sender;
        this.accumulator = accumulator;
        this.manager = manager;
        this.metadata = metadata;
        this.network = network;
        this.partitions = new TopicPartition[partitions];
        for (int each = 0; each < partitions; each++) this.partitions[each] = new TopicPartition(topic, each);
    }

    public void run() {
        sender.runOnce();
    }

    /** Append a record; its first byte is its number. */
    public void append(int partition, byte[] value, long now) throws InterruptedException {
        TopicPartition to = partitions[partition];
        records.add(accumulator.append(
            to.topic(), partition, 0, null, value, null, null, 1_000, now, metadata.fetch()
        ).future);
        batches.add(null);
        find();
    }

    /** The first batch in the buffer of a partition, or the one that is longest in flight; null if there is none. */
    public ProducerBatch first(int partition, boolean isInFlight) {
        if (isInFlight) {
            List<ProducerBatch> sent = sender.inFlightBatches(partitions[partition]);
            return sent.isEmpty() ? null : sent.get(0);
        }
        Deque<ProducerBatch> waiting = accumulator.getDeque(partitions[partition]);
        return waiting == null ? null : waiting.peekFirst();
    }

    /** Let a batch be created at another time. */
    public void create(ProducerBatch batch, long at) throws ReflectiveOperationException {
        Field field = ProducerBatch.class.getDeclaredField("createdMs");
        field.setAccessible(true);
        field.setLong(batch, at);
    }

    /** The oldest request of a kind to a node that is under way; null if there is none. */
    public ClientRequest oldest(ApiKeys kind, int node) {
        for (ClientRequest each : network.held) {
            if (each.apiKey() == kind && each.destination().equals(Integer.toString(node))) return each;
        }
        return null;
    }

    public void deliver(ClientRequest request, AbstractResponse response) {
        network.deliver(request, response);
        find();
    }

    public String state() {
        return Members.get(manager, "currentState").toString();
    }

    /** Producer id, epoch, whether a new epoch is due, and the partitions that it rewrites, as bits. */
    public long[] producer() {
        Set<?> rewritten = (Set<?>) Members.get(manager, "partitionsToRewriteSequences");
        long bits = 0;
        for (int each = 0; each < partitions.length; each++) if (rewritten.contains(partitions[each])) bits |= 1L << each;
        boolean isDue = (boolean) Members.get(manager, "clientSideEpochBumpRequired", "epochBumpRequired");
        var present = manager.producerIdAndEpoch();
        return new long[] {present.producerId, present.epoch, isDue ? 1 : 0, bits};
    }

    /** Let the application take note of a result that is there, as `KafkaProducer` does; whether it is there. */
    public boolean acknowledge(TransactionalRequestResult result) {
        if (!result.isCompleted()) return false;
        try {
            if (AWAIT.getParameterCount() == 2) AWAIT.invoke(result, 1L, TimeUnit.SECONDS);
            else AWAIT.invoke(result, 1L, TimeUnit.SECONDS, "call");
        } catch (InvocationTargetException error) {
            return true;
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
        return true;
    }

    /** The partitions that are in the transaction, as bits. */
    public long partitions() {
        Set<?> added = (Set<?>) Members.get(manager, "partitionsInTransaction");
        long bits = 0;
        for (int each = 0; each < partitions.length; each++) if (added.contains(partitions[each])) bits |= 1L << each;
        return bits;
    }

    private TxnPartitionEntry entry(TopicPartition partition) {
        TxnPartitionMap map = (TxnPartitionMap) Members.get(manager, "txnPartitionMap");
        return map.contains(partition) ? map.get(partition) : null;
    }

    /** Of the counter: producer id, epoch, next sequence, last acknowledged one, the one after an unresolved one. */
    public long[] counter(int partition) {
        TxnPartitionEntry entry = entry(partitions[partition]);
        if (entry == null) return new long[] {NONE, NONE, 0, NONE, NONE};
        Map<?, ?> unresolved = (Map<?, ?>) Members.get(manager, "partitionsWithUnresolvedSequences");
        Integer after = (Integer) unresolved.get(partitions[partition]);
        return new long[] {
            entry.producerIdAndEpoch().producerId, entry.producerIdAndEpoch().epoch, entry.nextSequence(),
            entry.lastAckedSequence().orElse((int) NONE), after == null ? NONE : after
        };
    }

    /** Learn which batch a record is the first one of, also when a batch has been split. */
    private void find() {
        for (TopicPartition partition : partitions) {
            Deque<ProducerBatch> waiting = accumulator.getDeque(partition);
            if (waiting != null) waiting.forEach(this::find);
        }
    }

    private void find(ProducerBatch batch) {
        Object thunk = ((List<?>) Members.get(batch, "thunks")).get(0);
        int record = records.indexOf(Members.get(thunk, "future"));
        if (record >= 0) batches.set(record, batch);
    }

    /**
     * Of the batch that begins with a record: where it is (0 nowhere, 1 in the buffer, 2 in flight), its outcome (0
     * none, 1 success, 2 expired, 3 refused), the offset, producer id, epoch, sequence, number of records, whether its
     * sequence was reset, whether it is in the counter's list, and whether it was queued again; null if none begins.
     */
    public long[] batch(int record) throws InterruptedException {
        ProducerBatch batch = batches.get(record);
        if (batch == null) return null;
        long place = 0;
        Deque<ProducerBatch> waiting = accumulator.getDeque(batch.topicPartition);
        if (waiting != null && waiting.contains(batch)) place = 1;
        else if (sender.inFlightBatches(batch.topicPartition).contains(batch)) place = 2;
        long outcome = 0, offset = NONE;
        if (batch.isDone() && records.get(record).isDone()) {
            try {
                offset = records.get(record).get().offset();
                outcome = 1;
            } catch (ExecutionException error) {
                outcome = error.getCause() instanceof TimeoutException ? 2 : 3;
            }
        }
        TxnPartitionEntry entry = entry(batch.topicPartition);
        boolean isTracked = entry != null
            && ((Set<?>) Members.get(entry, "inflightBatchesBySequence")).contains(batch);
        return new long[] {
            place, outcome, offset, batch.producerId(), batch.producerEpoch(), batch.baseSequence(),
            batch.recordCount, batch.sequenceHasBeenReset() ? 1 : 0, isTracked ? 1 : 0, batch.inRetry() ? 1 : 0,
            batch.topicPartition.partition()
        };
    }

    /** Of each produce request to a node, in order: the first record, producer id, epoch, sequence, count. */
    public long[][] requests(int node) {
        List<long[]> shown = new ArrayList<>();
        for (ClientRequest each : network.held) {
            if (each.apiKey() != ApiKeys.PRODUCE || !each.destination().equals(Integer.toString(node))) continue;
            var topic = ((ProduceRequest.Builder) each.requestBuilder()).build().data().topicData().iterator().next();
            MemoryRecords sent = (MemoryRecords) topic.partitionData().get(0).records();
            RecordBatch batch = sent.batches().iterator().next();
            shown.add(new long[] {
                batch.iterator().next().value().get(0), batch.producerId(), batch.producerEpoch(), batch.baseSequence(),
                batch.countOrNull(), batch.isTransactional() ? 1 : 0
            });
        }
        return shown.toArray(new long[0][]);
    }
}
