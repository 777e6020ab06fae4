package kafka.coordinator.transaction;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;

import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AddPartitionsToTxnResponse;
import org.apache.kafka.common.requests.ProduceResponse.PartitionResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.transaction.ProducerIdManager;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.server.common.FinalizedFeatures;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.util.RequestAndCompletionHandler;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

import scala.Function0;
import scala.Function1;
import scala.Function3;
import scala.Option;
import scala.Some;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Opens the transaction coordinators of a cluster, one after the other, to Python.
 *
 * It stands for what lies around a coordinator: the log of its partition, of which it keeps the newest entry and one
 * that is not committed; the controller that hands out producer ids; the clock; and the network to the partitions'
 * leaders, one broker for each partition. All of these do what they are told; it decides nothing.
 */
public final class TransactionCoordinatorDoor {
    /** The answer to a request: the name of the error, or null as long as there is none. */
    public static final class Reply {
        public String error;
        public long producerId = -1;
        public int producerEpoch = -1;

        private void give(Errors given, long id, int epoch) {
            error = given.name();
            producerId = id;
            producerEpoch = epoch;
        }
    }

    /** An entry on its way into the log. */
    private static final class Append {
        private Object key;
        private Object records;
        private Function1<Object, Object> callback;
        private boolean answersJavaMap;
    }

    /** A marker on its way to the leader of its partition. */
    public static final class SentMarker {
        public long producerId;
        public int producerEpoch;
        public boolean isCommit;
        public int coordinatorEpoch;
        /** -1 in releases whose markers do not name it. */
        public int transactionVersion = -1;
        private RequestCompletionHandler handler;
    }

    private final class StandingClock implements Time {
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
            now += more;
        }

        @Override
        public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
            throw new UnsupportedOperationException();
        }
    }

    /** Does at once what is due once, and nothing of what is due again and again. */
    private static final class PromptScheduler implements Scheduler {
        @Override
        public void startup() { }

        @Override
        public void shutdown() { }

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            if (periodMs < 0) task.run();
            return null;
        }

        @Override
        public void resizeThreadPool(int size) { }
    }

    private static final String ID = "transactional";
    private static final String TOPIC = "topic";
    private static final int TIMEOUT_MS = 1_000;
    private static final TopicPartition LOG = new TopicPartition("__transaction_state", 0);
    private static final TopicIdPartition LOG_WITH_ID = new TopicIdPartition(Uuid.randomUuid(), LOG);
    private static final Metrics METRICS = new Metrics();
    private static final KafkaConfig CONFIG = config();
    private static final Constructor<?> COORDINATOR = Members.constructor(TransactionCoordinator.class);
    private static final Constructor<?> STATES = Members.constructor(TransactionStateManager.class);
    private static final Constructor<?> MARKERS = Members.constructor(TransactionMarkerChannelManager.class);
    private static final Object TRANSACTION_CONFIG = transactionConfig(COORDINATOR.getParameterTypes()[0]);

    private final Time clock = new StandingClock();
    private final Set<Integer> deleted;
    private final FinalizedFeatures features;
    private final Map<Integer, SentMarker> queued = new HashMap<>();
    private final Map<Integer, SentMarker> underWay = new HashMap<>();
    private final Map<Integer, SentMarker> former = new HashMap<>();
    private long now = 1_000_000;
    private long nextProducerId;
    private long producerIdsEnd;
    private boolean isHolding = true;
    private Append offered;
    private Append appended;
    private Object committed;
    private int term = -1;
    private TransactionCoordinator coordinator;
    private TransactionStateManager states;
    private TransactionMarkerChannelManager markers;

    public TransactionCoordinatorDoor(long nextProducerId, long producerIdsEnd, int transactionVersion) {
        this.nextProducerId = nextProducerId;
        this.producerIdsEnd = producerIdsEnd;
        deleted = new java.util.HashSet<>();
        Method of = Members.method(
            FinalizedFeatures.class, has("fromKRaftVersion") ? "fromKRaftVersion" : "fromMetadataVersion", 1
        );
        FinalizedFeatures made = (FinalizedFeatures) Members.invoked(of, null, MetadataVersion.latestProduction());
        features = made.setFinalizedLevel(TransactionVersion.FEATURE_NAME, (short) transactionVersion);
    }

    private static boolean has(String factory) {
        for (Method each : FinalizedFeatures.class.getMethods()) if (each.getName().equals(factory)) return true;
        return false;
    }

    private static KafkaConfig config() {
        Properties properties = new Properties();
        properties.put("process.roles", "broker");
        properties.put("node.id", "100");
        properties.put("controller.quorum.voters", "200@localhost:9093");
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("listeners", "PLAINTEXT://localhost:9092");
        return KafkaConfig.fromProps(properties);
    }

    private static Object transactionConfig(Class<?> type) {
        if (type.isRecord()) {
            try {
                return type.getConstructor().newInstance();
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }
        Object[] arguments = new Object[Members.constructor(type).getParameterCount()];
        for (int place = 0; place < arguments.length; place++) {
            Method standard = Members.method(type, "$lessinit$greater$default$" + (place + 1), 0);
            arguments[place] = Members.invoked(standard, null);
        }
        return Members.made(type, arguments);
    }

    /** Let a broker that knows nothing become the coordinator; its term is the number of elections before. */
    public void elect() {
        try {
            build();
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
        electAgain();
    }

    /** Let the same broker become the coordinator again. */
    public void electAgain() {
        term++;
        coordinator.onElection(LOG.partition(), term);
    }

    /** Take the role from the broker; the markers that it has sent stay under way. */
    public void resign() {
        coordinator.onResignation(LOG.partition(), new Some<>(term));
        queued.clear();
        former.clear();
        former.putAll(underWay);
        underWay.clear();
    }

    private void build() throws ReflectiveOperationException {
        Scheduler scheduler = new PromptScheduler();
        Set<String> asked = Set.of("appendRecords", "getLog", "getLogConfig", "getLogEndOffset", "topicIdPartition");
        ReplicaManager replicas = StandIn.of(ReplicaManager.class, asked, this::answerAsReplicas);
        Class<?> cacheType = STATES.getParameterTypes()[3];
        Object cache = Proxy.newProxyInstance(
            cacheType.getClassLoader(), new Class<?>[] {cacheType}, (proxy, method, arguments) -> metadata(method, arguments)
        );
        Object network = StandIn.of(MARKERS.getParameterTypes()[2], Set.of("wakeup"), (name, arguments) -> null);
        states = (TransactionStateManager) STATES.newInstance(
            100, scheduler, replicas, cache, TRANSACTION_CONFIG, clock, METRICS
        );
        states.startup((Function0<Object>) () -> 1, false);
        markers = (TransactionMarkerChannelManager) MARKERS.newInstance(CONFIG, cache, network, states, clock);
        ProducerIdManager ids = (ProducerIdManager) Proxy.newProxyInstance(
            ProducerIdManager.class.getClassLoader(),
            new Class<?>[] {ProducerIdManager.class},
            (proxy, method, arguments) -> generateProducerId(method.getName())
        );
        Object logContext = COORDINATOR.getParameterTypes()[6].getConstructor().newInstance();
        coordinator = (TransactionCoordinator) COORDINATOR.newInstance(
            TRANSACTION_CONFIG, scheduler, (Function0<ProducerIdManager>) () -> ids, states, markers, clock, logContext
        );
    }

    private Object generateProducerId(String method) {
        if (!method.equals("generateProducerId")) return null;
        if (nextProducerId == producerIdsEnd) throw new CoordinatorLoadInProgressException("no producer id is left");
        return nextProducerId++;
    }

    private Object metadata(Method method, Object[] arguments) {
        switch (method.getName()) {
            case "features":
                return features;
            case "getPartitionLeaderEndpoint":
                int partition = (Integer) arguments[1];
                Node node = deleted.contains(partition) ? null : new Node(partition, "localhost", 1);
                return method.getReturnType() == Option.class ? Option.apply(node) : Optional.ofNullable(node);
            default:
                throw new UnsupportedOperationException("a question that the door cannot answer: " + method);
        }
    }

    private Object answerAsReplicas(String method, Object[] arguments) {
        switch (method) {
            case "topicIdPartition":
                return LOG_WITH_ID;
            case "getLogConfig":
                return Option.apply(new LogConfig(new Properties()));
            case "getLogEndOffset":
                return Option.apply(committed == null ? 0L : 1L);
            case "getLog":
                return Option.apply(log());
            default:
                append(arguments);
                return null;
        }
    }

    private Object log() {
        Class<?> type = Members.type("kafka.log.UnifiedLog", "org.apache.kafka.storage.internals.log.UnifiedLog");
        try {
            return StandIn.of(type, Set.of("logStartOffset", "read"), (name, arguments) ->
                name.equals("read") ? Members.made(FETCHED, new LogOffsetMetadata(0), committed, false, NONE, NONE) : 0L
            );
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static final Class<?> FETCHED = FetchDataInfo.class;
    private static final Optional<?> NONE = Optional.empty();

    @SuppressWarnings("unchecked")
    private void append(Object[] arguments) {
        Append each = new Append();
        scala.Tuple2<Object, Object> entry = ((scala.collection.Map<Object, Object>) arguments[4]).head();
        each.key = entry._1();
        each.records = entry._2();
        each.callback = (Function1<Object, Object>) arguments[5];
        each.answersJavaMap = ANSWERS_JAVA_MAP;
        if (isHolding) offered = each;
        else if (appended != null) respond(each, Errors.NOT_ENOUGH_REPLICAS);
        else appended = each;
    }

    private static final boolean ANSWERS_JAVA_MAP = answersJavaMap();

    private static boolean answersJavaMap() {
        for (Method each : ReplicaManager.class.getMethods()) {
            if (each.getName().equals("appendRecords")) {
                return each.getGenericParameterTypes()[5].getTypeName().contains("java.util.Map");
            }
        }
        throw new IllegalStateException("ReplicaManager has no appendRecords");
    }

    private static void respond(Append append, Errors error) {
        Function1<Object, Object> callback = append.callback;
        append.callback = null;
        Map<Object, PartitionResponse> responses = Map.of(append.key, new PartitionResponse(error));
        callback.apply(append.answersJavaMap ? responses : CollectionConverters.asScala(responses));
    }

    /** Begin the log with this entry, as MemoryRecords. */
    public void begin(Object records) {
        committed = records;
    }

    /** Let the append go on that a thread of the coordinator is about to make; whether there was one. */
    public boolean goOn() {
        if (offered == null) collect();
        if (offered == null || appended != null) return false;
        appended = offered;
        offered = null;
        return true;
    }

    /** Commit the entry, and tell the coordinator, or what it has tried instead since it gave up. */
    public void commit() {
        Append each = appended;
        appended = null;
        committed = isTombstone(each) ? null : each.records;
        if (each.callback != null) {
            respond(each, Errors.NONE);
            return;
        }
        if (offered == null) collect();
        if (offered != null) {
            Append again = offered;
            offered = null;
            respond(again, Errors.NONE);
        }
    }

    /** Fail the append, or let its outcome stay unknown. */
    public void fail(boolean isDefinitive) {
        Append each = appended;
        if (isDefinitive) appended = null;
        if (each.callback != null) {
            respond(each, isDefinitive ? Errors.NOT_ENOUGH_REPLICAS : Errors.REQUEST_TIMED_OUT);
        }
    }

    /** Let the log lose its leader, with or without the entry that is not committed. */
    public void lose(boolean keepsAppend) {
        Append each = appended;
        appended = null;
        offered = null;
        if (each == null) return;
        if (keepsAppend) committed = isTombstone(each) ? null : each.records;
        if (each.callback != null) respond(each, Errors.NOT_LEADER_OR_FOLLOWER);
    }

    private static boolean isTombstone(Append append) {
        return value(append.records) == null;
    }

    /** The value of the only entry. */
    private static TransactionLogValue value(Object records) {
        Object first = ((Iterable<?>) Members.call(records, "records")).iterator().next();
        ByteBuffer buffer = (ByteBuffer) Members.call(first, "value");
        if (buffer == null) return null;
        buffer = buffer.duplicate();
        return new TransactionLogValue(new ByteBufferAccessor(buffer), buffer.getShort());
    }

    public boolean hasAppended() {
        return appended != null;
    }

    /** The entry that is appended; null if that is a tombstone. */
    public long[] appended() {
        return numbers(value(appended.records));
    }

    /** The newest committed entry; null if there is none. */
    public long[] committed() {
        return committed == null ? null : numbers(value(committed));
    }

    private static long[] numbers(TransactionLogValue value) {
        if (value == null) return null;
        long partitions = 0;
        if (value.transactionPartitions() != null) {
            for (TransactionLogValue.PartitionsSchema each : value.transactionPartitions()) {
                for (int partition : each.partitionIds()) partitions |= 1L << partition;
            }
        }
        return new long[] {
            value.producerId(), value.previousProducerId(), value.nextProducerId(), value.producerEpoch(),
            value.transactionStatus(), partitions, value.clientTransactionVersion()
        };
    }

    public long nextProducerId() {
        return nextProducerId;
    }

    /** What the coordinator has in memory; null if it does not know the id. */
    public long[] memory() {
        Option<?> found = (Option<?>) ((scala.util.Either<?, ?>) states.getTransactionState(ID)).toOption().get();
        if (found.isEmpty()) return null;
        return TransactionMetadataDoor.numbers(Members.get(found.get(), "transactionMetadata"));
    }

    /** InitProducerId; -1 names no producer id. */
    public Reply initialize(long producerId, int producerEpoch) {
        Reply reply = new Reply();
        Function1<Object, Object> callback = result -> {
            Errors error = (Errors) Members.call(result, "error");
            reply.give(error, (Long) Members.call(result, "producerId"), (Short) Members.call(result, "producerEpoch"));
            return null;
        };
        Object expected = producerId < 0 ? null : Members.made(NAMED, producerId, (short) producerEpoch);
        RequestLocal local = RequestLocal.noCaching();
        Object named = Option.apply(expected);
        try {
            if (INITIALIZE.getParameterCount() == 5) ask(INITIALIZE, ID, TIMEOUT_MS, named, callback, local);
            else ask(INITIALIZE, ID, TIMEOUT_MS, false, false, named, callback, local);
        } catch (IllegalStateException error) {
            reply.give(Errors.forException(error), -1, -1); // as KafkaApis answers what a handler throws
        }
        return reply;
    }

    /** AddPartitionsToTxn. */
    public Reply add(long producerId, int producerEpoch, int partition, int version) {
        Reply reply = new Reply();
        Function1<Errors, Object> callback = error -> {
            reply.give(error, -1, -1);
            return null;
        };
        TransactionVersion of = TransactionVersion.fromFeatureLevel((short) version);
        RequestLocal local = RequestLocal.noCaching();
        ask(ADD, ID, producerId, (short) producerEpoch, set(ADD, partition), callback, of, local);
        return reply;
    }

    /** AddPartitionsToTxn that only verifies. */
    public Reply verify(long producerId, int producerEpoch, int partition) {
        Reply reply = new Reply();
        Function1<org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult, Object> callback =
            result -> {
                Map<TopicPartition, Errors> errors = AddPartitionsToTxnResponse.errorsForTransaction(result.topicResults());
                reply.give(errors.values().iterator().next(), -1, -1);
                return null;
            };
        ask(VERIFY, ID, producerId, (short) producerEpoch, set(VERIFY, partition), callback);
        return reply;
    }

    /** EndTxn. */
    public Reply end(long producerId, int producerEpoch, boolean commits, int version) {
        Reply reply = new Reply();
        Function3<Errors, Object, Object, Object> callback = (error, id, epoch) -> {
            reply.give(error, (Long) id, (Short) epoch);
            return null;
        };
        TransactionResult result = commits ? TransactionResult.COMMIT : TransactionResult.ABORT;
        TransactionVersion of = TransactionVersion.fromFeatureLevel((short) version);
        ask(END, ID, producerId, (short) producerEpoch, result, of, callback, RequestLocal.noCaching());
        return reply;
    }

    private static final Method INITIALIZE = named("handleInitProducerId");
    private static final Method ADD = named("handleAddPartitionsToTransaction");
    private static final Method VERIFY = named("handleVerifyPartitionsInTransaction");
    private static final Method END = named("handleEndTransaction");
    private static final Class<?> NAMED = Members.type(
        "org.apache.kafka.common.utils.ProducerIdAndEpoch", "org.apache.kafka.common.utils.internals.ProducerIdAndEpoch"
    );

    private static Method named(String name) {
        for (Method each : TransactionCoordinator.class.getMethods()) if (each.getName().equals(name)) return each;
        throw new IllegalStateException("TransactionCoordinator has no " + name);
    }

    private static Object set(Method method, int partition) {
        Set<TopicPartition> one = Set.of(new TopicPartition(TOPIC, partition));
        return method.getParameterTypes()[3] == Set.class ? one : CollectionConverters.asScala(one).toSet();
    }

    private void ask(Method method, Object... arguments) {
        isHolding = false;
        try {
            Members.invoked(method, coordinator, arguments);
        } finally {
            isHolding = true;
        }
    }

    /** Let the transaction's timeout pass. */
    public void timeOut() {
        now += TIMEOUT_MS + 1;
        isHolding = false;
        try {
            Function3<Errors, Object, Object, Object> ignored = (error, id, epoch) -> null;
            Function1<Object, Object> callback = each -> ignored;
            Members.call(coordinator, "abortTimedOutTransactions", callback);
        } catch (IllegalStateException | IllegalArgumentException error) {
            // The scheduler logs what its task throws: Kafka 4.2 cannot fence in the last epoch, and
            // 4.0.0 raises it past the highest number.
            return;
        } finally {
            isHolding = true;
        }
    }

    /** Let the transactional id be unused for long. */
    public void expire() {
        now += 1000L * 60 * 60 * 24 * 8;
        isHolding = false;
        try {
            states.removeExpiredTransactionalIds();
        } finally {
            isHolding = true;
        }
    }

    /** Let the thread that sends markers run. */
    private void collect() {
        for (RequestAndCompletionHandler each : markers.generateRequests()) {
            WriteTxnMarkersRequest request = (WriteTxnMarkersRequest) each.request.build();
            for (WritableTxnMarker marker : request.data().markers()) {
                SentMarker sent = new SentMarker();
                sent.producerId = marker.producerId();
                sent.producerEpoch = marker.producerEpoch();
                sent.isCommit = marker.transactionResult();
                sent.coordinatorEpoch = marker.coordinatorEpoch();
                if (NAMES_VERSION) sent.transactionVersion = (Byte) Members.call(marker, "transactionVersion");
                sent.handler = each.handler;
                queued.put(each.destination.id(), sent);
            }
        }
    }

    private static final boolean NAMES_VERSION = namesVersion();

    private static boolean namesVersion() {
        for (Method each : WritableTxnMarker.class.getMethods()) if (each.getName().equals("transactionVersion")) return true;
        return false;
    }

    /** Send the marker of a partition; whether there was one to send. */
    public boolean send(int partition) {
        if (!queued.containsKey(partition)) collect();
        if (underWay.containsKey(partition) || !queued.containsKey(partition)) return false;
        underWay.put(partition, queued.remove(partition));
        return true;
    }

    /** The marker that is under way to a partition, or null. */
    public SentMarker marker(int partition) {
        return underWay.get(partition);
    }

    /** Answer the marker that is under way, with the name of an error; a lost answer has none. */
    public void answer(int partition, String error) {
        complete(partition, underWay.remove(partition), error);
    }

    /** Answer, without an error, a marker that the broker sent before it resigned. */
    public void answerFormer(int partition) {
        try {
            complete(partition, former.remove(partition), "NONE");
        } catch (IllegalStateException error) {
            return; // the sending thread logs it: the transactional id was removed meanwhile
        }
    }

    /** Let a partition to which no marker is under way be deleted; whether the coordinator awaits a marker of it. */
    public boolean delete(int partition) {
        if (!queued.containsKey(partition)) collect();
        if (!queued.containsKey(partition)) return false;
        deleted.add(partition);
        complete(partition, queued.remove(partition), "UNKNOWN_TOPIC_OR_PARTITION");
        deleted.remove(partition);
        return true;
    }

    private void complete(int partition, SentMarker marker, String error) {
        RequestHeader header = new RequestHeader(ApiKeys.WRITE_TXN_MARKERS, (short) 1, "coordinator", 1);
        WriteTxnMarkersResponse response = error == null ? null : new WriteTxnMarkersResponse(
            Map.of(marker.producerId, Map.of(new TopicPartition(TOPIC, partition), Errors.valueOf(error)))
        );
        marker.handler.onComplete(
            new ClientResponse(header, null, "leader", now, now, error == null, null, null, response)
        );
    }
}
