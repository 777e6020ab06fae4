package org.apache.kafka.coordinator.group;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
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
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Opens the offsets of a group's coordinator to Python, for one group and one partition.
 *
 * It stands for the coordinator's runtime, which appends records to the log and replays them, and for the manager of
 * groups, which knows the one group. It decides nothing.
 */
public final class OffsetsDoor {
    private final class Clock implements Time {
        @Override
        public long milliseconds() {
            return now;
        }

        @Override
        public long nanoseconds() {
            return now * 1_000_000;
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

    /** A record of the log, or the marker of a transaction. */
    private record Logged(long producerId, OffsetCommitKey key, OffsetCommitValue value, TransactionResult marker) { }

    private static final String GROUP = "group";
    private static final String TOPIC = "topic";
    private static final String MEMBER = "member";
    private static final long LONG_MS = 100L * 24 * 3_600_000;
    private static final int TIMEOUT_MS = 1_000;
    private static final long NO_PRODUCER = -1;
    private static final long NONE = -1;
    private static final GroupCoordinatorConfig CONFIG = GroupCoordinatorConfig.fromProps(Map.of());
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");
    private static final String SET_GENERATION = Stream.of(TxnOffsetCommitRequestData.class.getMethods())
        .map(Method::getName).filter(name -> name.startsWith("setGenerationId")).findFirst().orElseThrow();
    private static final Set<String> OF_GROUPS = Set.of("group", "rescheduleClassicGroupMemberHeartbeat");
    private static final Set<String> OF_METRICS = Set.of("record", "incrementNumOffsets", "decrementNumOffsets");

    private final Clock clock = new Clock();
    private final List<Logged> log = new ArrayList<>();
    private final GroupMetadataManager groups;
    private final GroupCoordinatorMetricsShard metrics;
    private final RequestContext context;
    private ClassicGroup group;
    private boolean hasMember;
    private SnapshotRegistry snapshots;
    private OffsetMetadataManager offsets;
    private int replayed;
    private boolean isLoading;
    private long now = LONG_MS;

    public OffsetsDoor() throws Exception {
        groups = StandIn.of(GroupMetadataManager.class, OF_GROUPS, (name, arguments) -> name.equals("group") ? group : null);
        metrics = StandIn.of(GroupCoordinatorMetricsShard.class, OF_METRICS, (name, arguments) -> null);
        context = AroundManager.context(ApiKeys.OFFSET_COMMIT, 8);
    }

    /** Begin with an empty log, and a group without members or with one, which is in its first generation. */
    public void start(boolean withMember) {
        log.clear();
        hasMember = withMember;
        Class<?>[] types = {LOG_CONTEXT.getClass(), String.class, ClassicGroupState.class, Time.class};
        group = made(ClassicGroup.class, types, LOG_CONTEXT, GROUP, ClassicGroupState.EMPTY, clock);
        if (withMember) {
            JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
            protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[0]));
            group.add(new ClassicGroupMember(
                MEMBER, Optional.empty(), MEMBER, "host", TIMEOUT_MS, TIMEOUT_MS, "connect", protocols
            ));
            rebalance();
        }
        elect();
        endLoading();
    }

    private static <T> T made(Class<T> type, Class<?>[] parameters, Object... arguments) {
        try {
            return type.getConstructor(parameters).newInstance(arguments);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The group has its next generation. */
    public void rebalance() {
        group.transitionTo(ClassicGroupState.PREPARING_REBALANCE);
        group.initNextGeneration();
        group.transitionTo(ClassicGroupState.STABLE);
    }

    /** A new coordinator, which has read nothing. */
    public void elect() {
        snapshots = made(SnapshotRegistry.class, new Class<?>[] {LOG_CONTEXT.getClass()}, LOG_CONTEXT);
        OffsetMetadataManager.Builder builder = new OffsetMetadataManager.Builder();
        Members.call(builder, "withLogContext", LOG_CONTEXT);
        Members.call(builder, "withSnapshotRegistry", snapshots);
        Members.call(builder, "withTime", clock);
        Members.call(builder, "withGroupMetadataManager", groups);
        Members.call(builder, "withGroupCoordinatorConfig", CONFIG);
        Members.call(builder, "withGroupCoordinatorMetricsShard", metrics);
        offsets = builder.build();
        replayed = 0;
        isLoading = true;
    }

    /** Read the next record of the log; whether there is one. */
    public boolean read() {
        if (replayed == log.size()) return false;
        Logged each = log.get(replayed);
        if (each.marker != null) offsets.replayEndTransactionMarker(each.producerId, each.marker);
        else offsets.replay(replayed, each.producerId, each.key, each.value);
        replayed++;
        snapshots.idempotentCreateSnapshot(replayed);
        return true;
    }

    /** How many records the log has. */
    public int size() {
        return log.size();
    }

    public void endLoading() {
        isLoading = false;
        snapshots.idempotentCreateSnapshot(replayed);
    }

    private void append(long producerId, List<CoordinatorRecord> records) {
        for (CoordinatorRecord each : records) {
            Object key = Members.call(each, "key");
            if (key instanceof ApiMessageAndVersion versioned) key = versioned.message();
            OffsetCommitValue value = each.value() == null ? null : (OffsetCommitValue) each.value().message();
            log.add(new Logged(producerId, (OffsetCommitKey) key, value, null));
            read();
        }
    }

    /** OffsetCommit; the name of the error. */
    public String commit(long offset) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
            .setGroupId(GROUP)
            .setMemberId(hasMember ? MEMBER : "")
            .setGenerationIdOrMemberEpoch(hasMember ? group.generationId() : -1)
            .setTopics(List.of(new OffsetCommitRequestTopic().setName(TOPIC).setPartitions(
                List.of(new OffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(offset)))));
        return answered(NO_PRODUCER, "commitOffset", request);
    }

    /** TxnOffsetCommit, of a member in this generation if there are members; the name of the error. */
    public String commitInTransaction(long producerId, long offset, int generation) {
        TxnOffsetCommitRequestData request = new TxnOffsetCommitRequestData()
            .setGroupId(GROUP)
            .setProducerId(producerId)
            .setMemberId(hasMember ? MEMBER : "")
            .setTopics(List.of(new TxnOffsetCommitRequestTopic().setName(TOPIC).setPartitions(
                List.of(new TxnOffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(offset)))));
        Members.call(request, SET_GENERATION, hasMember ? generation : -1);
        return answered(producerId, "commitTransactionalOffset", request);
    }

    @SuppressWarnings("unchecked")
    private String answered(long producerId, String method, Object request) {
        try {
            append(producerId, ((CoordinatorResult<?, CoordinatorRecord>)
                Members.call(offsets, method, context, request)).records());
            return Errors.NONE.name();
        } catch (ApiException error) {
            return Errors.forException(error).name();
        }
    }

    /** The marker of a transaction is in the log; a coordinator that is loading will read it. */
    public void end(long producerId, boolean isCommit) {
        log.add(new Logged(producerId, null, null, isCommit ? TransactionResult.COMMIT : TransactionResult.ABORT));
        if (!isLoading) read();
    }

    /** OffsetFetch: the offset, -1 if there is none; or the name of the error. */
    public String fetch(boolean requiresStable) {
        OffsetFetchRequestGroup request = new OffsetFetchRequestGroup().setGroupId(GROUP).setTopics(
            List.of(new OffsetFetchRequestTopics().setName(TOPIC).setPartitionIndexes(List.of(0))));
        OffsetFetchResponsePartitions found = offsets.fetchOffsets(request, requiresStable ? Long.MAX_VALUE : replayed)
            .topics().get(0).partitions().get(0);
        Errors error = Errors.forCode(found.errorCode());
        return error == Errors.NONE ? Long.toString(found.committedOffset()) : error.name();
    }

    /** The offset was committed long ago; whether the coordinator removes it. */
    public boolean expire() {
        List<CoordinatorRecord> records = new ArrayList<>();
        now += LONG_MS;
        offsets.cleanupExpiredOffsets(GROUP, records);
        now -= LONG_MS;
        append(NO_PRODUCER, records);
        return !records.isEmpty();
    }

    /** The committed offset, then the pending one of each producer; -1 for none. */
    public String observe(int producers) {
        StringBuilder text = new StringBuilder("[").append(number(offsets.offset(GROUP, TOPIC, 0)));
        for (long id = 0; id < producers; id++) {
            text.append(',').append(number(offsets.pendingTransactionalOffset(id, GROUP, TOPIC, 0)));
        }
        return text.append(']').toString();
    }

    private static long number(OffsetAndMetadata found) {
        return found == null ? NONE : (Long) Members.get(found, "committedOffset");
    }
}
