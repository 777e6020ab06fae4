package kafka.coordinator.transaction;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import kafkacheck.Members;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.server.common.TransactionVersion;

import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.util.Either;

/**
 * Opens the state of a transactional id to Python. Before 4.2 the class is written in Scala.
 *
 * A transition is prepared and then completed, as its coordinator does; it keeps the one that was prepared last. Numbers
 * go over as texts, which takes less time than as arrays. It decides nothing.
 */
public final class TransactionMetadataDoor {
    private static final Class<?> TYPE = Members.type(
        "org.apache.kafka.coordinator.transaction.TransactionMetadata", "kafka.coordinator.transaction.TransactionMetadata"
    );
    private static final boolean IS_SCALA = TYPE.getName().startsWith("kafka.");
    private static final long START = 1;
    private static final int TIMEOUT_MS = 1_000;
    private static final byte EMPTY = 0;
    private static final byte PREPARE_COMMIT = 2;
    private static final byte PREPARE_ABORT = 3;

    private final Object metadata;
    private Object prepared;

    /** An idle transactional id with this producer id and epoch. */
    public TransactionMetadataDoor(long producerId, short producerEpoch) {
        Set<TopicPartition> none = new HashSet<>();
        metadata = Members.made(
            TYPE, "transactional", producerId, -1L, -1L, producerEpoch, (short) -1, TIMEOUT_MS, state(EMPTY),
            IS_SCALA ? CollectionConverters.asScala(none) : none, -1L, START, TransactionVersion.TV_0
        );
    }

    /** The next epoch for a client that names this one, or none; whether the client is not fenced. */
    public boolean increment(Short expected) {
        Object named = IS_SCALA ? Option.apply(expected) : Optional.ofNullable(expected);
        Object result;
        try {
            result = Members.call(metadata, "prepareIncrementProducerEpoch", TIMEOUT_MS, named, START);
        } catch (ProducerFencedException error) {
            return false;
        }
        if (result instanceof Either<?, ?> either) {
            if (either.isLeft()) return false;
            result = either.toOption().get();
        }
        prepared = result;
        return true;
    }

    public void rotate(long producerId, boolean recordsLastEpoch) {
        prepared = Members.call(metadata, "prepareProducerIdRotation", producerId, TIMEOUT_MS, START, recordsLastEpoch);
    }

    public void add(int partition, boolean isVersion2) {
        Object added = Set.of(new TopicPartition("topic", partition));
        if (IS_SCALA) added = CollectionConverters.asScala((Set<?>) added).toSet();
        prepared = Members.call(metadata, "prepareAddPartitions", added, START, version(isVersion2));
    }

    /** The decision; `isNew`: no partition was added before. */
    public void decide(boolean isCommit, boolean isVersion2, long nextProducerId, boolean isNew) {
        Object decided = state(isCommit ? PREPARE_COMMIT : PREPARE_ABORT);
        prepared = Members.call(
            metadata, "prepareAbortOrCommit", decided, version(isVersion2), nextProducerId, START, isNew
        );
    }

    public void fence() {
        prepared = Members.call(metadata, "prepareFenceProducerEpoch");
    }

    public void finish() {
        prepared = Members.call(metadata, "prepareComplete", START);
    }

    public void die() {
        prepared = Members.call(metadata, "prepareDead");
    }

    /** The log has the transition that was prepared last. */
    public void complete() {
        Members.call(metadata, "completeTransitionTo", prepared);
    }

    /** The log does not have the transition that was prepared. */
    public void drop() {
        set("pendingState", IS_SCALA ? Option.empty() : Optional.empty());
    }

    /** As the coordinator does when it fences: the epoch is in memory, and the log does not get it. */
    public void failFence(short epoch) {
        drop();
        set(IS_SCALA ? "producerEpoch" : "setProducerEpoch", epoch);
        set(IS_SCALA ? "lastProducerEpoch" : "setLastProducerEpoch", (short) -1);
        set("hasFailedEpochFence", true);
    }

    private void set(String name, Object value) {
        Members.call(metadata, IS_SCALA ? name + "_$eq" : name, value);
    }

    public boolean isExhausted() {
        return (Boolean) Members.call(metadata, "isProducerEpochExhausted");
    }

    /** The numbers of the memory, and those of the transition that is pending. */
    public String observe() {
        long[] memory = numbers(metadata);
        return memory[8] < 0 ? Arrays.toString(memory) : Arrays.toString(memory) + "," + Arrays.toString(entry(prepared));
    }

    /**
     * What such an object holds: producer id, previous and next one, epoch and last epoch, state, partitions by bit,
     * version, pending state, and whether a fence has failed.
     */
    static long[] numbers(Object metadata) {
        return new long[] {
            (Long) Members.get(metadata, "producerId"),
            (Long) Members.get(metadata, "prevProducerId", "previousProducerId"),
            (Long) Members.get(metadata, "nextProducerId"),
            (Short) Members.get(metadata, "producerEpoch"),
            (Short) Members.get(metadata, "lastProducerEpoch"),
            id(Members.get(metadata, "state")),
            partitions(Members.get(metadata, "topicPartitions")),
            versionOf(metadata),
            pending(Members.get(metadata, "pendingState")),
            (Boolean) Members.get(metadata, "hasFailedEpochFence") ? 1 : 0
        };
    }

    private static long[] entry(Object transition) {
        return new long[] {
            (Long) Members.get(transition, "producerId"),
            (Long) Members.get(transition, "prevProducerId"),
            (Long) Members.get(transition, "nextProducerId"),
            (Short) Members.get(transition, "producerEpoch"),
            (Short) Members.get(transition, "lastProducerEpoch"),
            id(Members.get(transition, "txnState")),
            partitions(Members.get(transition, "topicPartitions")),
            versionOf(transition)
        };
    }

    private static long versionOf(Object metadata) {
        return ((TransactionVersion) Members.get(metadata, "clientTransactionVersion")).featureLevel();
    }

    private static long id(Object state) {
        return (Byte) Members.call(state, "id");
    }

    private static long pending(Object state) {
        Object found = state instanceof Option<?> option ? (option.isEmpty() ? null : option.get())
            : ((Optional<?>) state).orElse(null);
        return found == null ? -1 : id(found);
    }

    private static long partitions(Object set) {
        Collection<?> all = set instanceof scala.collection.Set<?> each ? CollectionConverters.asJava(each) : (Set<?>) set;
        long bits = 0;
        for (Object each : all) bits |= 1L << ((TopicPartition) each).partition();
        return bits;
    }

    private static TransactionVersion version(boolean isVersion2) {
        return isVersion2 ? TransactionVersion.TV_2 : TransactionVersion.TV_0;
    }

    private static Object state(byte id) {
        Class<?> states = Members.type(
            "org.apache.kafka.coordinator.transaction.TransactionState", "kafka.coordinator.transaction.TransactionState$"
        );
        try {
            Object owner = states.getName().endsWith("$") ? states.getField("MODULE$").get(null) : null;
            return Members.invoked(Members.method(states, "fromId", 1), owner, id);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }
}
