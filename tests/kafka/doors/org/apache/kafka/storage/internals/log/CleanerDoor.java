package org.apache.kafka.storage.internals.log;

import java.io.IOException;
import java.lang.reflect.Method;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;

import kafkacheck.Members;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.utils.Throttler;

import scala.Function1;
import scala.Option;

/**
 * Opens the log cleaner to Python, makes records with keys, and tells what a log has. Before 4.1 the cleaner is written
 * in Scala. It decides nothing.
 */
public final class CleanerDoor {
    private static final boolean IS_SCALA = Members.has("kafka.log.Cleaner");
    private static final String PACKAGE = IS_SCALA ? "kafka.log." : "org.apache.kafka.storage.internals.log.";
    private static final Method CLEANABLE = Members.method(Members.type(PACKAGE + "LogCleanerManager"), "cleanableOffsets", 3);
    private static final Class<?> TO_CLEAN = Members.type(PACKAGE + "LogToClean");
    private static final int MEMORY = 4_096;
    private static final int BUFFER = 4_096;
    private static final byte[] VALUE = {1};
    private static final int NO_MARKER = -1;

    private final Object cleaner;

    public CleanerDoor(Time time) throws NoSuchAlgorithmException {
        Consumer<TopicPartition> check = partition -> { };
        Function1<TopicPartition, Object> scalaCheck = partition -> scala.runtime.BoxedUnit.UNIT;
        Throttler throttler = new Throttler(Double.MAX_VALUE, Long.MAX_VALUE, "throttler", "entries", time);
        cleaner = Members.made(
            Members.type(PACKAGE + "Cleaner"), 0, new SkimpyOffsetMap(MEMORY), BUFFER, BUFFER, 0.9, throttler, time,
            IS_SCALA ? scalaCheck : check
        );
    }

    /** A producer's record; without a value it is a tombstone. */
    public MemoryRecords data(long producerId, int sequence, boolean isTransactional, int key, boolean isTombstone) {
        SimpleRecord record = new SimpleRecord(0L, key(key), isTombstone ? null : VALUE);
        return isTransactional
            ? MemoryRecords.withTransactionalRecords(Compression.NONE, producerId, (short) 0, sequence, record)
            : MemoryRecords.withIdempotentRecords(Compression.NONE, producerId, (short) 0, sequence, record);
    }

    /** The record of a producer that has no id. */
    public MemoryRecords filler(int key) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(0L, key(key), VALUE));
    }

    // The first two are the keys of markers: version 0, and the type of the control record.
    private static byte[] key(int key) {
        return new byte[] {0, 0, (byte) (key >> 8), (byte) key};
    }

    /** Where a pass must end. */
    public long cleanable(Object log, long now) {
        Object offsets = Members.invoked(CLEANABLE, null, log, IS_SCALA ? Option.empty() : Optional.empty(), now);
        return (Long) Members.get(offsets, "firstUncleanableDirtyOffset");
    }

    /** A pass over the log up to an offset. */
    public void clean(Object log, long end, long now) {
        Object cleanable = IS_SCALA
            ? Members.made(TO_CLEAN, Members.call(log, "topicPartition"), log, 0L, end, false)
            : Members.made(TO_CLEAN, log, 0L, end, false);
        Members.call(cleaner, "doClean", cleanable, now);
    }

    /**
     * The batches of a log as a JSON list: offset, producer id, epoch, sequence, whether it is transactional, type of the
     * control record (-1 for data, or if it is gone), number of records, and whether it has a delete horizon.
     */
    public String batches(Object log) throws IOException {
        StringBuilder text = new StringBuilder("[");
        for (Object segment : (Collection<?>) Members.call(log, "logSegments")) {
            for (RecordBatch batch : ((LogSegment) segment).log().batches()) {
                int records = 0;
                int marker = NO_MARKER;
                for (var record : batch) {
                    records++;
                    if (batch.isControlBatch()) marker = ControlRecordType.parse(record.key()).type();
                }
                text.append(text.length() == 1 ? "[" : ",[").append(batch.baseOffset());
                text.append(',').append(batch.producerId()).append(',').append(batch.producerEpoch());
                text.append(',').append(batch.baseSequence()).append(',').append(batch.isTransactional() ? 1 : 0);
                text.append(',').append(marker).append(',').append(records);
                text.append(',').append(batch.deleteHorizonMs().isPresent() ? 1 : 0).append(']');
            }
        }
        return text.append(']').toString();
    }
}
