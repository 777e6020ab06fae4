package org.apache.kafka.controller;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.FenceBrokerRecord;
import org.apache.kafka.common.metadata.NoOpRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnfenceBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Opens the control managers of a KRaft controller, most of whose members are package-private, to Python.
 *
 * It stands for the event queue and the Raft log of QuorumController: the records that an operation returns are
 * replayed at once, each at the next offset. It decides nothing.
 */
public final class ControllerDoor {
    private static final short ALTER_PARTITION_VERSION = 3;

    private final StandingClock clock = new StandingClock();
    private final FeatureControlManager features;
    private final ClusterControlManager cluster;
    private final ConfigurationControlManager configuration;
    private final ReplicationControlManager replication;
    private final ControllerRequestContext context;
    private final List<ApiMessage> written = new ArrayList<>();
    private long offset = -1;

    public ControllerDoor(KafkaConfigSchema schema, SnapshotRegistry snapshots, long sessionTimeoutMs) {
        features = new FeatureControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setQuorumFeatures(new QuorumFeatures(0, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(0)))
            .build();
        configuration = new ConfigurationControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setKafkaConfigSchema(schema)
            .setFeatureControl(features)
            .build();
        cluster = new ClusterControlManager.Builder()
            .setTime(clock)
            .setSnapshotRegistry(snapshots)
            .setSessionTimeoutNs(sessionTimeoutMs * 1_000_000)
            .setReplicaPlacer(new StripedReplicaPlacer(new java.util.Random(0)))
            .setFeatureControlManager(features)
            .setBrokerShutdownHandler((id, isClean, records) -> handleShutdown(id, isClean, records))
            .build();
        replication = new ReplicationControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setConfigurationControl(configuration)
            .setClusterControl(cluster)
            .setFeatureControl(features)
            .build();
        RequestHeaderData header = new RequestHeaderData().setRequestApiVersion(ALTER_PARTITION_VERSION);
        context = new ControllerRequestContext(header, KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    private void handleShutdown(int brokerId, boolean isClean, List<ApiMessageAndVersion> records) {
        replication.handleBrokerShutdown(brokerId, isClean, records);
    }

    /** Begin to be the active controller. */
    public void activate() {
        cluster.activate();
    }

    /** Cease to be the active controller. */
    public void deactivate() {
        cluster.deactivate();
    }

    /** The offset of the last record. */
    public long offset() {
        return offset;
    }

    /** Let time pass, in milliseconds. */
    public void sleep(long milliseconds) {
        clock.sleep(milliseconds);
    }

    /** The records that were written, by offset. */
    public List<ApiMessage> written() {
        return written;
    }

    /** Write one record, and replay it. */
    public void write(ApiMessage record) {
        offset++;
        written.add(record);
        if (record instanceof RegisterBrokerRecord each) cluster.replay(each, offset);
        else if (record instanceof FenceBrokerRecord each) cluster.replay(each);
        else if (record instanceof UnfenceBrokerRecord each) cluster.replay(each);
        else if (record instanceof BrokerRegistrationChangeRecord each) cluster.replay(each);
        else if (record instanceof ConfigRecord each) configuration.replay(each);
        else if (record instanceof FeatureLevelRecord each) features.replay(each);
        else if (record instanceof TopicRecord each) replication.replay(each);
        else if (record instanceof PartitionRecord each) replication.replay(each);
        else if (record instanceof PartitionChangeRecord each) replication.replay(each);
        else if (record instanceof RemoveTopicRecord each) removeTopic(each);
        else if (record instanceof ClearElrRecord each) replication.replay(each);
        else if (record instanceof NoOpRecord) return;
        else throw new IllegalStateException("a record that the adapter does not know: " + record);
    }

    // QuorumController does the same for a removed topic: its configuration goes with it.
    private void removeTopic(RemoveTopicRecord record) {
        String name = replication.getTopic(record.topicId()).name();
        replication.replay(record);
        configuration.deleteTopicConfigs(name);
    }

    private <T> T written(ControllerResult<T> result) {
        writeAll(result.records());
        return result.response();
    }

    private void writeAll(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion record : records) write(record.message());
    }

    public String clusterId() {
        return cluster.clusterId();
    }

    /** min.insync.replicas of a topic. */
    public int minInsyncReplicas(String topic) {
        return Integer.parseInt(configuration.getTopicConfig(topic, "min.insync.replicas").value());
    }

    public PartitionRegistration partition(Uuid topicId) {
        return replication.getPartition(topicId, 0);
    }

    public BrokerRegistration broker(int brokerId) {
        return cluster.registration(brokerId);
    }

    public boolean isActive(int brokerId) {
        return cluster.isActive(brokerId);
    }

    public void registerBroker(BrokerRegistrationRequestData request) {
        FinalizedControllerFeatures finalized = features.finalizedFeatures(Long.MAX_VALUE);
        written(cluster.registerBroker(request, offset + 1, finalized, true));
    }

    /** Note a heartbeat of a broker that stays as it is. */
    public void trackHeartbeat(int brokerId) {
        cluster.trackBrokerHeartbeat(brokerId, cluster.registration(brokerId).epoch());
    }

    /** The offset of a broker's registration. */
    public long registrationOffset(int brokerId) {
        return cluster.registerBrokerRecordOffset(brokerId).orElseThrow();
    }

    public BrokerHeartbeatReply heartbeat(BrokerHeartbeatRequestData request) {
        cluster.trackBrokerHeartbeat(request.brokerId(), request.brokerEpoch());
        return written(replication.processBrokerHeartbeat(request, registrationOffset(request.brokerId())));
    }

    /** A heartbeat as QuorumController handles it: the offset of a controlled shutdown is that of the newest record. */
    public BrokerHeartbeatReply heartbeatAndWait(BrokerHeartbeatRequestData request) {
        BrokerHeartbeatReply reply = heartbeat(request);
        if (reply.inControlledShutdown()) {
            cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(request.brokerId(), offset);
        }
        return reply;
    }

    /** The offset that a broker's controlled shutdown waits for; -1 if there is none. */
    public long controlledShutdownOffset(int brokerId) {
        return cluster.heartbeatManager().controlledShutdownOffset(brokerId).orElse(-1);
    }

    /** The state of a broker in the controller's memory. */
    public String controlState(int brokerId) {
        BrokerHeartbeatManager manager = cluster.heartbeatManager();
        for (BrokerHeartbeatManager.BrokerHeartbeatState each : manager.brokers()) {
            if (each.id() == brokerId) return manager.currentBrokerState(each).name();
        }
        throw new IllegalStateException("the controller knows no broker " + brokerId);
    }

    /** Look for a broker whose session has expired, and fence it if it is not; whether there was one. */
    public boolean fenceOneStaleBroker() {
        return written(replication.maybeFenceOneStaleBroker());
    }

    /** Fence every broker whose session has expired, one after the other as QuorumController does. */
    public void fenceStaleBrokers() {
        while (written(replication.maybeFenceOneStaleBroker())) {
        }
    }

    public AlterPartitionResponseData alterPartition(AlterPartitionRequestData request) {
        return written(replication.alterPartition(context, request));
    }

    /** The answer to a request that needs no record, of a controller that cannot write; null if it needs one. */
    public AlterPartitionResponseData alterPartitionIfUnwritten(AlterPartitionRequestData request) {
        ControllerResult<AlterPartitionResponseData> result = replication.alterPartition(context, request);
        return result.records().isEmpty() ? result.response() : null;
    }

    public ElectLeadersResponseData electLeaders(ElectLeadersRequestData request) {
        return written(replication.electLeaders(request));
    }

    public AlterPartitionReassignmentsResponseData reassign(AlterPartitionReassignmentsRequestData request) {
        return written(replication.alterPartitionReassignments(request));
    }

    /** Delete a topic; the name of the error. */
    public String deleteTopic(Uuid topicId) {
        return written(replication.deleteTopics(context, List.of(topicId))).get(topicId).error().name();
    }

    /** Create a topic of one partition on these brokers; its id, or null if that is refused. */
    public Uuid createTopic(String name, List<Integer> brokers, Map<String, String> settings)
            throws ReflectiveOperationException {
        CreatableTopic topic = new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        topic.assignments().add(new CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(brokers));
        settings.forEach((key, value) -> topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value)));
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        ControllerResult<?> result = withoutFlags(replication, "createTopics", context, request, Set.of(name));
        CreatableTopicResult created = ((CreateTopicsResponseData) written(result)).topics().find(name);
        return created.errorCode() == 0 ? created.topicId() : null;
    }

    /** Set one configuration of a topic, as IncrementalAlterConfigs does; the name of the error. */
    public String setTopicConfig(String topic, String name, String value) throws ReflectiveOperationException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<String, Map.Entry<OpType, String>> change = Map.of(name, Map.entry(OpType.SET, value));
        ControllerResult<?> result = withoutFlags(configuration, "incrementalAlterConfig", resource, change);
        return ((ApiError) written(result)).error().name();
    }

    // The releases differ in how many flags come last; without them a request is an ordinary one.
    private static ControllerResult<?> withoutFlags(Object manager, String name, Object... first)
            throws ReflectiveOperationException {
        for (Method each : manager.getClass().getDeclaredMethods()) {
            int count = each.getParameterCount();
            if (each.getName().equals(name) && count >= first.length) {
                Object[] arguments = new Object[count];
                Arrays.fill(arguments, false);
                System.arraycopy(first, 0, arguments, 0, first.length);
                return (ControllerResult<?>) each.invoke(manager, arguments);
            }
        }
        throw new NoSuchMethodException(manager.getClass().getSimpleName() + "." + name);
    }
}
