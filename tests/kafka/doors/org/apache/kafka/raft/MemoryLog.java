package org.apache.kafka.raft;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.common.serialization.RecordSerde;
import org.apache.kafka.snapshot.FileRawSnapshotReader;
import org.apache.kafka.snapshot.FileRawSnapshotWriter;
import org.apache.kafka.snapshot.RecordsSnapshotWriter;
import org.apache.kafka.snapshot.Snapshots;

/**
 * The metadata log of a voter in memory: batches of bytes, and perhaps the snapshot that names the first voters.
 *
 * The interface of Kafka's log and its types have other names and packages in each release, so it is called by name.
 * A fetch gets one batch, which Kafka's log may do, too. Where the interface has code of its own, that code decides.
 */
final class MemoryLog implements InvocationHandler {
    /** One batch as Kafka wrote it. Its header begins with the offset, the length of the rest and the epoch. */
    private record Batch(ByteBuffer bytes) {
        static final int LENGTH_AT = 8, EPOCH_AT = 12, LAST_DELTA_AT = 23;

        long first() {
            return bytes.getLong(0);
        }

        long end() {
            return first() + bytes.getInt(LAST_DELTA_AT) + 1;
        }

        int epoch() {
            return bytes.getInt(EPOCH_AT);
        }
    }

    /** The voter's machine lost power before the log reached the disk. */
    static final class PowerLoss extends RuntimeException {
    }

    private static final Class<?> RECORDS = records();

    private final Path bootstrap;
    private final List<Batch> batches = new ArrayList<>();
    private long highWatermark = 0;
    boolean failsToFlush = false;

    MemoryLog(Path bootstrap) {
        this.bootstrap = bootstrap;
    }

    private static Class<?> records() {
        for (String place : List.of("record", "record.internal")) {
            try {
                return Class.forName("org.apache.kafka.common." + place + ".MemoryRecords");
            } catch (ClassNotFoundException error) {
                continue;
            }
        }
        throw new IllegalStateException("MemoryRecords is in no known package; another release may have moved it");
    }

    /** Write the snapshot that names the first voters. */
    static <T> void writeBootstrap(Path folder, VoterSet voters, RecordSerde<T> serde) throws IOException {
        RecordsSnapshotWriter.Builder builder = new RecordsSnapshotWriter.Builder()
            .setKraftVersion(KRaftVersion.KRAFT_VERSION_1)
            .setVoterSet(Optional.of(voters))
            .setRawSnapshotWriter(FileRawSnapshotWriter.create(folder, Snapshots.BOOTSTRAP_SNAPSHOT_ID));
        try (RecordsSnapshotWriter<T> writer = builder.build(serde)) {
            writer.freeze();
        }
    }

    /** The log as Kafka's code sees it. */
    Object as(Class<?> kind) {
        return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, this);
    }

    long endOffset() {
        return batches.isEmpty() ? 0 : batches.get(batches.size() - 1).end();
    }

    /** The epoch of each batch. */
    int[] epochs() {
        return batches.stream().mapToInt(Batch::epoch).toArray();
    }

    /** How many batches end at this offset or before it. */
    int batchesBefore(long offset) {
        return (int) batches.stream().filter(each -> each.end() <= offset).count();
    }

    /** Lose the batches from one on. */
    void cutTo(int count) {
        batches.subList(count, batches.size()).clear();
        highWatermark = 0;
        failsToFlush = false;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] given) throws Throwable {
        switch (method.getName()) {
            case "appendAsLeader", "appendAsFollower": return append(given[0]);
            case "read": return read((long) given[0]);
            case "lastFetchedEpoch": return lastEpoch();
            case "endOffsetForEpoch": return endOffsetForEpoch((int) given[0]);
            case "endOffset": return new LogOffsetMetadata(endOffset());
            case "highWatermark": return new LogOffsetMetadata(highWatermark);
            case "startOffset": return 0L;
            case "truncateTo": batches.removeIf(each -> each.end() > (long) given[0]); return null;
            case "updateHighWatermark": highWatermark = ((LogOffsetMetadata) given[0]).offset(); return null;
            case "flush": if (failsToFlush) throw new PowerLoss(); return null;
            case "topicPartition": return new TopicPartition("__cluster_metadata", 0);
            case "topicId": return Uuid.METADATA_TOPIC_ID;
            case "latestSnapshotId", "earliestSnapshotId":
                return bootstrap == null ? Optional.empty() : Optional.of(Snapshots.BOOTSTRAP_SNAPSHOT_ID);
            case "latestSnapshot": return bootstrap == null ? Optional.empty() : Optional.of(
                FileRawSnapshotReader.open(bootstrap, Snapshots.BOOTSTRAP_SNAPSHOT_ID));
            case "initializeLeaderEpoch", "close": return null;
            case "truncateToLatestSnapshot", "maybeClean": return false;
            case "toString": return "log";
            default:
                if (method.isDefault()) return InvocationHandler.invokeDefault(proxy, method, given);
                throw new IllegalStateException("a call of the log that the door does not know: " + method);
        }
    }

    private int lastEpoch() {
        return batches.isEmpty() ? 0 : batches.get(batches.size() - 1).epoch();
    }

    // The buffer of a leader's batch is used again, so it is copied.
    private LogAppendInfo append(Object records) throws ReflectiveOperationException {
        ByteBuffer all = (ByteBuffer) RECORDS.getMethod("buffer").invoke(records);
        long first = endOffset();
        while (all.hasRemaining()) {
            byte[] bytes = new byte[Batch.EPOCH_AT + all.getInt(all.position() + Batch.LENGTH_AT)];
            all.get(bytes);
            Batch batch = new Batch(ByteBuffer.wrap(bytes));
            if (batch.first() != endOffset()) {
                throw new IllegalStateException("a batch at " + batch.first() + ", and the log ends at " + endOffset());
            }
            batches.add(batch);
        }
        return new LogAppendInfo(first, endOffset() - 1);
    }

    private Object read(long offset) throws ReflectiveOperationException {
        ByteBuffer found = ByteBuffer.allocate(0);
        for (Batch each : batches) {
            if (found.limit() == 0 && each.end() > offset) found = each.bytes().duplicate();
        }
        Object records = RECORDS.getMethod("readableRecords", ByteBuffer.class).invoke(null, found);
        return LogFetchInfo.class.getConstructors()[0].newInstance(records, new LogOffsetMetadata(offset));
    }

    // As KafkaRaftLog does by the epochs of its log; an epoch newer than all has the log's end.
    private Object endOffsetForEpoch(int epoch) throws ReflectiveOperationException {
        int floor = -1;
        for (Batch each : batches) {
            if (each.epoch() <= epoch) floor = each.epoch();
            else return offsetAndEpoch(each.first(), floor < 0 ? epoch : floor);
        }
        return offsetAndEpoch(endOffset(), lastEpoch());
    }

    private static Object offsetAndEpoch(long offset, int epoch) throws ReflectiveOperationException {
        Class<?> kind = Snapshots.BOOTSTRAP_SNAPSHOT_ID.getClass();
        return kind.getConstructor(long.class, int.class).newInstance(offset, epoch);
    }
}
