package org.apache.kafka.coordinator.group;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * Opens the offsets of several groups to Python, with the manager of the groups.
 *
 * It stands for the coordinator's runtime, which appends records to the log, replays them and keeps snapshots, and for
 * the members' requests, which it turns into states of the groups. It decides nothing.
 */
public final class GroupOffsetsDoor {
    /** A write: the records of offsets by partition, the records of the group, or the marker of a transaction. */
    private record Write(
        long producerId, Map<Integer, OffsetCommitValue> offsets, OffsetCommitKey[] keys,
        List<CoordinatorRecord> others, TransactionResult marker
    ) { }

    private static final String MEMBER = "member";
    private static final int TIMEOUT_MS = 1_000;
    private static final int RECORDS_OF_A_WRITE = 100;
    private static final long NO_PRODUCER = -1;
    private static final String TOO_LARGE = "x".repeat(5_000);
    private static final GroupCoordinatorConfig CONFIG = GroupCoordinatorConfig.fromProps(Map.of());
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");
    private static final String SET_GENERATION = Stream.of(TxnOffsetCommitRequestData.class.getMethods())
        .map(Method::getName).filter(name -> name.startsWith("setGenerationId")).findFirst().orElseThrow();
    private static final Set<String> OF_METRICS = Set.of("record", "incrementNumOffsets", "decrementNumOffsets");

    private static final boolean HAS_ASSIGNMENT_EPOCHS = Stream.of(ConsumerGroupMember.class.getDeclaredMethods())
        .anyMatch(each -> each.getName().equals("assignmentEpoch"));

    private final List<Write> log = new ArrayList<>();
    private final RequestContext context = AroundManager.context(ApiKeys.OFFSET_COMMIT, 9);
    private final RequestContext inTransaction = AroundManager.context(ApiKeys.TXN_OFFSET_COMMIT, 5);
    private final Object metrics;
    private AroundManager around;
    private OffsetMetadataManager offsets;
    private int partitions;

    public GroupOffsetsDoor() throws Exception {
        metrics = StandIn.of(GroupCoordinatorMetricsShard.class, OF_METRICS, (name, arguments) -> null);
    }

    public void start(int partitions) throws ReflectiveOperationException {
        this.partitions = partitions;
        log.clear();
        elect(0);
    }

    /** A new coordinator, which has read nothing of a log that has lost its end. */
    public void elect(int kept) throws ReflectiveOperationException {
        long now = around == null ? 0 : around.clock.milliseconds();
        while (log.size() > kept) log.remove(log.size() - 1);
        around = new AroundManager(CONFIG);
        around.clock.sleep(now);
        around.elect(MetadataImage.EMPTY);
        OffsetMetadataManager.Builder builder = new OffsetMetadataManager.Builder();
        Members.call(builder, "withLogContext", LOG_CONTEXT);
        Members.call(builder, "withSnapshotRegistry", around.snapshots);
        Members.call(builder, "withTime", around.clock);
        Members.call(builder, "withGroupMetadataManager", around.manager());
        Members.call(builder, "withGroupCoordinatorConfig", CONFIG);
        Members.call(builder, "withGroupCoordinatorMetricsShard", metrics);
        offsets = builder.build();
        around.snapshots.idempotentCreateSnapshot(0);
    }

    /** Time passes. */
    public void pass(long milliseconds) {
        around.clock.sleep(milliseconds);
    }

    private static String group(int group) {
        return "group-" + group;
    }

    private static String topic(int partition) {
        return "topic-" + partition;
    }

    /** Read a write, without the records of the partitions that the log cleaner has removed. */
    public void read(int position, List<Integer> removed) {
        Write each = log.get(position);
        if (each.marker != null) offsets.replayEndTransactionMarker(each.producerId, each.marker);
        each.offsets.forEach((partition, value) -> {
            if (!removed.contains(partition)) {
                long offset = (long) position * RECORDS_OF_A_WRITE + partition;
                offsets.replay(offset, each.producerId, each.keys[partition], value);
            }
        });
        each.others.forEach(around::replay);
        around.snapshots.idempotentCreateSnapshot(position + 1);
    }

    private void append(Write write) {
        log.add(write);
        read(log.size() - 1, List.of());
    }

    /** Append records, if there are any; whether there are. */
    private boolean append(long producerId, List<CoordinatorRecord> records) {
        if (records.isEmpty()) return false;
        Map<Integer, OffsetCommitValue> written = new TreeMap<>();
        OffsetCommitKey[] keys = new OffsetCommitKey[partitions];
        List<CoordinatorRecord> others = new ArrayList<>();
        for (CoordinatorRecord each : records) {
            Object key = Members.call(each, "key");
            if (key instanceof ApiMessageAndVersion versioned) key = versioned.message();
            if (key instanceof OffsetCommitKey known) {
                int partition = Integer.parseInt(known.topic().substring("topic-".length()));
                keys[partition] = known;
                written.put(partition, each.value() == null ? null : (OffsetCommitValue) each.value().message());
            } else {
                others.add(each);
            }
        }
        append(new Write(producerId, written, keys, others, null));
        return true;
    }

    /** The partitions of the last write that were tombstones. */
    public int[] tombstones() {
        return log.get(log.size() - 1).offsets.entrySet().stream().filter(each -> each.getValue() == null)
            .mapToInt(Map.Entry::getKey).toArray();
    }

    public int size() {
        return log.size();
    }

    /** OffsetCommit; the name of the error of the whole request. */
    public String commit(int group, int epoch, List<Integer> named, List<Integer> tooLarge, long offset) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
            .setGroupId(group(group))
            .setMemberId(epoch < 0 ? "" : MEMBER)
            .setGenerationIdOrMemberEpoch(epoch);
        for (int each : named) {
            request.topics().add(named(new OffsetCommitRequestTopic().setName(topic(each)).setPartitions(List.of(
                new OffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(offset)
                    .setCommittedMetadata(tooLarge.contains(each) ? TOO_LARGE : ""))), each));
        }
        return answered(NO_PRODUCER, "commitOffset", context, request);
    }

    /** TxnOffsetCommit; the name of the error of the whole request. */
    public String commitInTransaction(int group, long producerId, int epoch, List<Integer> named, long offset) {
        TxnOffsetCommitRequestData request = new TxnOffsetCommitRequestData()
            .setGroupId(group(group))
            .setProducerId(producerId)
            .setMemberId(epoch < 0 ? "" : MEMBER);
        for (int each : named) {
            request.topics().add(named(new TxnOffsetCommitRequestTopic().setName(topic(each)).setPartitions(List.of(
                new TxnOffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(offset))), each));
        }
        Members.call(request, SET_GENERATION, epoch);
        return answered(producerId, "commitTransactionalOffset", inTransaction, request);
    }

    /** A topic of a request, with its id if the release has ids there. */
    private static <T> T named(T topic, int partition) {
        boolean hasId = Stream.of(topic.getClass().getMethods()).anyMatch(each -> each.getName().equals("setTopicId"));
        if (hasId) Members.call(topic, "setTopicId", id(partition));
        return topic;
    }

    private static Uuid id(int partition) {
        return new Uuid(1, partition + 1);
    }

    @SuppressWarnings("unchecked")
    private String answered(long producerId, String method, RequestContext asked, Object request) {
        try {
            CoordinatorResult<?, CoordinatorRecord> result =
                (CoordinatorResult<?, CoordinatorRecord>) Members.call(offsets, method, asked, request);
            append(producerId, result.records());
            around.snapshots.idempotentCreateSnapshot(log.size());
            Object topic = ((Iterable<?>) Members.call(result.response(), "topics")).iterator().next();
            Object partition = ((Iterable<?>) Members.call(topic, "partitions")).iterator().next();
            Errors error = Errors.forCode((Short) Members.call(partition, "errorCode"));
            return error == Errors.OFFSET_METADATA_TOO_LARGE ? Errors.NONE.name() : error.name();
        } catch (ApiException error) {
            return Errors.forException(error).name();
        }
    }

    /** The marker of a transaction. */
    public void end(long producerId, boolean commits) {
        TransactionResult marker = commits ? TransactionResult.COMMIT : TransactionResult.ABORT;
        append(new Write(producerId, Map.of(), new OffsetCommitKey[partitions], List.of(), marker));
    }

    /** OffsetFetch by what is below a position of the log, or of a stable offset if that is -1. */
    public String fetch(int group, int partition, int position) {
        OffsetFetchRequestGroup request = new OffsetFetchRequestGroup().setGroupId(group(group)).setTopics(
            List.of(new OffsetFetchRequestTopics().setName(topic(partition)).setPartitionIndexes(List.of(0))));
        OffsetFetchResponsePartitions found = offsets
            .fetchOffsets(request, position < 0 ? Long.MAX_VALUE : position).topics().get(0).partitions().get(0);
        Errors error = Errors.forCode(found.errorCode());
        return error == Errors.NONE ? Long.toString(found.committedOffset()) : error.name();
    }

    /** OffsetDelete; whether there was anything to write. */
    public boolean delete(int group, List<Integer> named) {
        OffsetDeleteRequestTopicCollection topics = new OffsetDeleteRequestTopicCollection();
        for (int each : named) {
            topics.add(new OffsetDeleteRequestTopic().setName(topic(each)).setPartitions(
                List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0))));
        }
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group(group)).setTopics(topics);
        try {
            return append(NO_PRODUCER, offsets.deleteOffsets(request).records());
        } catch (ApiException error) {
            return false;
        }
    }

    /** A topic is deleted: the records of one group; whether there are any. */
    @SuppressWarnings("unchecked")
    public boolean deleteTopic(int group, int partition) {
        String deleted = "org.apache.kafka.coordinator.group.GroupCoordinatorShard$DeletedTopic";
        List<CoordinatorRecord> records = (List<CoordinatorRecord>) (Members.has(deleted)
            ? Members.call(offsets, "onTopicsDeleted",
                List.of(Members.made(Members.type(deleted), id(partition), topic(partition))))
            : Members.call(offsets, "onPartitionsDeleted", List.of(new TopicPartition(topic(partition), 0))));
        List<CoordinatorRecord> own = new ArrayList<>();
        for (CoordinatorRecord each : records) {
            Object key = Members.call(each, "key");
            if (key instanceof ApiMessageAndVersion versioned) key = versioned.message();
            if (((OffsetCommitKey) key).group().equals(group(group))) own.add(each);
        }
        return append(NO_PRODUCER, own);
    }

    /** DeleteGroups; whether the group was deleted. */
    public boolean deleteGroup(int group) {
        List<CoordinatorRecord> records = new ArrayList<>();
        try {
            around.manager().validateDeleteGroup(group(group));
        } catch (ApiException error) {
            return false;
        }
        offsets.deleteAllOffsets(group(group), records);
        around.manager().maybeDeleteGroup(group(group), records);
        return append(NO_PRODUCER, records);
    }

    /** The periodic cleanup of one group; whether there was anything to remove. */
    public boolean expire(int group) {
        if (!around.manager().groupIds().contains(group(group))) return false;
        List<CoordinatorRecord> records = new ArrayList<>();
        if (offsets.cleanupExpiredOffsets(group(group), records)) around.manager().maybeDeleteGroup(group(group), records);
        return append(NO_PRODUCER, records);
    }

    private void noted() {
        append(new Write(NO_PRODUCER, Map.of(), new OffsetCommitKey[partitions], List.of(), null));
    }

    private static List<String> topics(List<Integer> subscribed) {
        return subscribed.stream().map(GroupOffsetsDoor::topic).toList();
    }

    private static ClassicGroupMember classic(List<Integer> subscribed) {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        byte[] metadata = ConsumerProtocol.serializeSubscription(new Subscription(topics(subscribed))).array();
        protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(metadata));
        return new ClassicGroupMember(
            MEMBER, Optional.empty(), MEMBER, "host", TIMEOUT_MS, TIMEOUT_MS, "consumer", protocols
        );
    }

    private void updateConsumer(ConsumerGroup group, int epoch, int ownedSince, List<Integer> subscribed) {
        group.setGroupEpoch(epoch);
        ConsumerGroupMember.Builder member = new ConsumerGroupMember.Builder(MEMBER)
            .setMemberEpoch(epoch).setPreviousMemberEpoch(ownedSince).setSubscribedTopicNames(topics(subscribed));
        if (HAS_ASSIGNMENT_EPOCHS) {
            Map<Uuid, Map<Integer, Integer>> assigned = new HashMap<>();
            for (int each = 0; each < partitions; each++) assigned.put(id(each), Map.of(0, ownedSince));
            Members.call(member, "setAssignedPartitions", assigned);
        }
        group.updateMember(member.build());
    }

    private Group known(int group) {
        return around.manager().group(group(group));
    }

    /** The member of a group joins. */
    public void join(int group, boolean isClassic, int epoch, List<Integer> subscribed) {
        if (isClassic) {
            ClassicGroup found = around.manager().getOrMaybeCreateClassicGroup(group(group), true);
            found.add(classic(subscribed));
            found.transitionTo(ClassicGroupState.PREPARING_REBALANCE);
            endGeneration(found);
        } else {
            updateConsumer(
                around.manager().getOrMaybeCreatePersistedConsumerGroup(group(group), true), epoch, epoch, subscribed
            );
        }
        noted();
    }

    private static void endGeneration(ClassicGroup group) {
        group.initNextGeneration();
        if (!group.allMembers().isEmpty()) group.transitionTo(ClassicGroupState.STABLE);
    }

    /** It subscribes to other topics; a classic group begins to rebalance. */
    public void subscribe(int group, int epoch, int ownedSince, List<Integer> subscribed) {
        if (known(group) instanceof ClassicGroup found) {
            found.transitionTo(ClassicGroupState.PREPARING_REBALANCE);
            found.remove(MEMBER);
            found.add(classic(subscribed));
        } else {
            updateConsumer((ConsumerGroup) known(group), epoch, ownedSince, subscribed);
        }
        noted();
    }

    /** The rebalance of a classic group ends. */
    public void endRebalance(int group) {
        endGeneration((ClassicGroup) known(group));
        noted();
    }

    /** The member leaves. */
    public void leave(int group) {
        if (known(group) instanceof ClassicGroup found) {
            if (!found.isInState(ClassicGroupState.PREPARING_REBALANCE)) {
                found.transitionTo(ClassicGroupState.PREPARING_REBALANCE);
            }
            found.remove(MEMBER);
            found.initNextGeneration();
        } else {
            ((ConsumerGroup) known(group)).removeMember(MEMBER);
        }
        noted();
    }

    /** NONE, SIMPLE, CLASSIC or CONSUMER. */
    public String type(int group) {
        if (!around.manager().groupIds().contains(group(group))) return "NONE";
        if (known(group) instanceof ClassicGroup found) return found.protocolType().isPresent() ? "CLASSIC" : "SIMPLE";
        return "CONSUMER";
    }

    /** The generation of a classic group. */
    public int generation(int group) {
        return known(group) instanceof ClassicGroup found ? found.generationId() : -1;
    }

    /** The committed offset, -1 for none. */
    public long committed(int group, int partition) {
        return number(offsets.offset(group(group), topic(partition), 0));
    }

    /** The pending offset of a producer, -1 for none. */
    public long pending(int producer, int group, int partition) {
        return number(offsets.pendingTransactionalOffset(producer, group(group), topic(partition), 0));
    }

    private static long number(OffsetAndMetadata found) {
        return found == null ? -1 : (Long) Members.get(found, "committedOffset");
    }
}
