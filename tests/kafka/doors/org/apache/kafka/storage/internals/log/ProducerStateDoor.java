package org.apache.kafka.storage.internals.log;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.utils.Time;

/**
 * Makes batches of records, and reads a partition's producer state; the releases differ in the packages of both.
 *
 * Numbers go over as texts, which takes less time than as arrays. It decides nothing.
 */
public final class ProducerStateDoor {
    /** A clock that stands. All records have the time 0. */
    public static final class StandingClock implements Time {
        @Override
        public long milliseconds() {
            return 1_000;
        }

        @Override
        public long nanoseconds() {
            return milliseconds() * 1_000_000;
        }

        @Override
        public void sleep(long more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
            throw new UnsupportedOperationException();
        }
    }

    private static final SimpleRecord RECORD = new SimpleRecord(0L, new byte[0], new byte[0]);

    private final Field lastSequence;
    private final Field offsetDelta;
    private final List<VerificationGuard> guards = new ArrayList<>();

    public ProducerStateDoor() throws ReflectiveOperationException {
        lastSequence = BatchMetadata.class.getDeclaredField("lastSeq");
        offsetDelta = BatchMetadata.class.getDeclaredField("offsetDelta");
        lastSequence.setAccessible(true);
        offsetDelta.setAccessible(true);
    }

    /** A batch of data; `offset` and `leaderEpoch` are those that a leader has given it, or 0. */
    public MemoryRecords data(
        long offset, int leaderEpoch, long producerId, short epoch, int sequence, boolean isTransactional, int count
    ) {
        SimpleRecord[] records = new SimpleRecord[count];
        java.util.Arrays.fill(records, RECORD);
        return isTransactional
            ? MemoryRecords.withTransactionalRecords(
                offset, Compression.NONE, producerId, epoch, sequence, leaderEpoch, records)
            : MemoryRecords.withIdempotentRecords(
                offset, Compression.NONE, producerId, epoch, sequence, leaderEpoch, records);
    }

    /** The marker of a transaction. */
    public MemoryRecords marker(
        long offset, int leaderEpoch, long producerId, short epoch, int coordinatorEpoch, boolean isCommit
    ) {
        ControlRecordType type = isCommit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        EndTransactionMarker marker = new EndTransactionMarker(type, coordinatorEpoch);
        return MemoryRecords.withEndTransactionMarker(offset, 0L, leaderEpoch, producerId, epoch, marker);
    }

    /** The number of a guard: 0 for none, and otherwise guards are numbered as they come. */
    public int numberOf(VerificationGuard guard) {
        if (guard == null || guard == VerificationGuard.SENTINEL) return 0;
        if (!guards.contains(guard)) guards.add(guard);
        return guards.indexOf(guard) + 1;
    }

    /** The guard of a number. */
    public VerificationGuard guard(int number) {
        return number == 0 ? VerificationGuard.SENTINEL : guards.get(number - 1);
    }

    /**
     * The state of the producers with the ids from 0 on, as a JSON list with an object for each: epoch, coordinator epoch,
     * first offset of the open transaction, batches from the newest to the oldest (last sequence, number of records,
     * first offset), and the verification (guard, epoch, lowest sequence, whether epochs are bumped).
     */
    public String producers(ProducerStateManager manager, int count) throws IllegalAccessException {
        StringBuilder text = new StringBuilder("[");
        for (long id = 0; id < count; id++) {
            ProducerStateEntry entry = manager.lastEntry(id).orElse(ProducerStateEntry.empty(id));
            text.append(id == 0 ? "[" : ",[").append(entry.producerEpoch());
            text.append(',').append(entry.coordinatorEpoch());
            text.append(',').append(entry.currentTxnFirstOffset().orElse(-1)).append(",[");
            List<BatchMetadata> batches = new ArrayList<>(entry.batchMetadata());
            for (int place = batches.size() - 1; place >= 0; place--) {
                BatchMetadata batch = batches.get(place);
                text.append('[').append(lastSequence.getInt(batch)).append(',');
                text.append(offsetDelta.getInt(batch) + 1).append(',');
                text.append(batch.firstOffset()).append(place == 0 ? "]" : "],");
            }
            VerificationStateEntry verification = manager.verificationStateEntry(id);
            text.append("],");
            if (verification == null) text.append("[0,-1,-1,0]]");
            else text.append('[').append(numberOf(verification.verificationGuard()))
                .append(',').append(verification.epoch()).append(',').append(verification.lowestSequence())
                .append(',').append(verification.supportsEpochBump() ? 1 : 0).append("]]");
        }
        return text.append(']').toString();
    }
}
