package org.apache.kafka.clients.consumer.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import kafkacheck.Filled;
import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.clients.HeldNetwork;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.apache.kafka.controller.StandingClock;

/**
 * Opens one consumer's membership in a classic group to Python: `ConsumerCoordinator` with `AbstractCoordinator`.
 *
 * It stands for the application's thread, the network and the metadata. The heartbeat thread never starts: its own code
 * runs in the caller's thread, and ends when it has sent a heartbeat. A poll ends when a rebalance has ended: until then
 * the coordinator cannot be reached. It decides nothing. Member ids, instance ids and partitions are numbered; -1 is
 * none.
 */
public final class ClassicConsumerDoor {
    private static final String TOPIC = "topic";
    private static final Node BROKER = new Node(0, "localhost", 9092);
    private static final int TIMEOUT_MS = 2_000_000_000;
    private static final int INTERVAL_MS = 1_000;
    private static final int NONE = -1;
    private static final int ONE_IN_FLIGHT = 1;
    private static final String OPTIONS = "org.apache.kafka.clients.consumer.CloseOptions$GroupMembershipOperation";
    private static final int COORDINATOR = 1;
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");

    private final StandingClock clock = new StandingClock();
    private final Network network = new Network();
    private final SubscriptionState subscriptions;
    private final ConsumerNetworkClient client;
    private final ConsumerCoordinator coordinator;
    private final Object heartbeats;
    private final String assignor;
    private long revoked;
    private long lost;
    private long added;
    private Node node;
    private boolean isBeating;
    private boolean isPolling;
    private boolean isFenced;

    /** A consumer of a topic with so many partitions, which subscribes to it, with this instance id or none. */
    public ClassicConsumerDoor(int partitions, boolean isCooperative, int instance) throws ReflectiveOperationException {
        subscriptions = (SubscriptionState) Members.made(
            SubscriptionState.class, LOG_CONTEXT, AutoOffsetResetStrategy.LATEST
        );
        List<PartitionInfo> infos = new ArrayList<>();
        for (int each = 0; each < partitions; each++) {
            infos.add(new PartitionInfo(TOPIC, each, BROKER, new Node[] {BROKER}, new Node[] {BROKER}));
        }
        Cluster cluster = new Cluster("cluster", List.of(BROKER), infos, Set.of(), Set.of());
        ConsumerMetadata metadata = StandIn.of(
            ConsumerMetadata.class, Set.of(
                "fetch", "updateVersion", "updateRequested", "timeToNextUpdate", "requestUpdate",
                "requestUpdateForNewTopics", "maybeThrowAnyException"
            ),
            (name, given) -> switch (name) {
                case "fetch" -> cluster;
                case "timeToNextUpdate" -> Long.MAX_VALUE;
                case "updateRequested" -> false;
                case "maybeThrowAnyException" -> null;
                default -> 0;
            }
        );
        Map<String, Object> settings = new HashMap<>(Map.of(
            "bootstrap.servers", "localhost:9092", "group.id", "group", "max.poll.interval.ms", TIMEOUT_MS,
            "session.timeout.ms", TIMEOUT_MS, "heartbeat.interval.ms", INTERVAL_MS,
            "key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer",
            "value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"
        ));
        if (instance != NONE) settings.put("group.instance.id", "instance" + instance);
        client = (ConsumerNetworkClient) Members.made(
            ConsumerNetworkClient.class, LOG_CONTEXT, network, metadata, clock, 1L, TIMEOUT_MS, TIMEOUT_MS
        );
        assignor = isCooperative ? "cooperative-sticky" : "sticky";
        Filled filled = new Filled(
            new GroupRebalanceConfig(new ConsumerConfig(settings), GroupRebalanceConfig.ProtocolType.CONSUMER),
            LOG_CONTEXT, client, List.of(isCooperative ? new CooperativeStickyAssignor() : new StickyAssignor()),
            metadata, subscriptions, new Metrics(), clock, "", false, TIMEOUT_MS, Optional.empty()
        );
        coordinator = filled.with(new Filled(List.of(), new Metrics()).of(ConsumerInterceptors.class))
            .of(ConsumerCoordinator.class);
        Constructor<?> thread = Class.forName(AbstractCoordinator.class.getName() + "$HeartbeatThread")
            .getDeclaredConstructor(AbstractCoordinator.class);
        thread.setAccessible(true);
        heartbeats = thread.newInstance(coordinator);
        Members.set(coordinator, "heartbeatThread", heartbeats);
        subscriptions.subscribe(Set.of(TOPIC), Optional.of(new Listener()));
        find();
    }

    /** What the application's listener is told. */
    private final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked |= bits(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            added |= bits(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            lost |= bits(partitions);
        }
    }

    /** The connections; look-ups of the coordinator are answered at once, while it can be reached. */
    private final class Network extends HeldNetwork {
        private boolean isCut;

        Network() {
            super(ONE_IN_FLIGHT, BROKER);
        }

        @Override
        public boolean connectionFailed(Node to) {
            return isCut;
        }

        @Override
        public long connectionDelay(Node to, long now) {
            return isCut ? 1 : 0;
        }

        @Override
        public List<ClientResponse> poll(long timeout, long now) {
            for (ClientRequest each : List.copyOf(held)) {
                if (each.apiKey() == ApiKeys.FIND_COORDINATOR && !isCut) {
                    deliver(each, new FindCoordinatorResponse(new FindCoordinatorResponseData().setCoordinators(List.of(
                        new FindCoordinatorResponseData.Coordinator().setKey("group").setNodeId(COORDINATOR)
                            .setHost(BROKER.host()).setPort(BROKER.port())
                    ))));
                }
            }
            return List.of();
        }

        @Override
        public void wakeup() {
            if (isBeating) Members.call(heartbeats, "close");
        }
    }

    /** Reach the coordinator again. */
    private void find() {
        network.isCut = false;
        coordinator.ensureCoordinatorReady(clock.timer(0));
        node = coordinator.checkAndGetCoordinator();
    }

    /** The application polls; the poll ends when a rebalance has. */
    public void poll() {
        RequestFuture<?> joining = (RequestFuture<?>) Members.get(coordinator, "joinFuture");
        if (joining != null) joining.addListener(new Ended<>());
        isPolling = true;
        notice(() -> coordinator.poll(clock.timer(0), false));
        isPolling = false;
        find();
        client.pollNoWakeup();
    }

    /** Cuts the connections when a rebalance has ended within a poll. */
    private final class Ended<T> implements RequestFutureListener<T> {
        @Override
        public void onSuccess(T value) {
            network.isCut = isPolling;
        }

        @Override
        public void onFailure(RuntimeException error) {
            network.isCut = isPolling;
        }
    }

    /** Do something that tells the application that its instance id is another's. */
    private void notice(Runnable something) {
        try {
            something.run();
        } catch (FencedInstanceIdException error) {
            isFenced = true;
        }
    }

    /** Let the heartbeat thread's code run once the interval is over, if the thread would not wait to be enabled. */
    public void beat() {
        if (!flag("enabled") || coordinator.state.hasNotJoinedGroup()) return;
        clock.sleep(INTERVAL_MS + 1);
        isBeating = true;
        ((Thread) heartbeats).run();
        isBeating = false;
        if (Members.get(heartbeats, "closed") instanceof AtomicBoolean closed) closed.set(false);
        else Members.set(heartbeats, "closed", false);
        client.pollNoWakeup();
    }

    private boolean flag(String name) {
        Object found = Members.get(heartbeats, name);
        return found instanceof AtomicBoolean set ? set.get() : (Boolean) found;
    }

    /** The partitions that the listener was told to be revoked, lost and added since it has been asked to forget. */
    public long[] calls() {
        return new long[] {revoked, lost, added};
    }

    public void forget() {
        revoked = lost = added = 0;
    }

    /** The application unsubscribes; what it sends then waits until it is released. */
    public void leave() {
        network.open(node.id(), false);
        coordinator.onLeavePrepare();
        String reason = "the consumer unsubscribed from all topics";
        Method leaves = Members.method(AbstractCoordinator.class, "maybeLeaveGroup", hasOptions() ? 2 : 1);
        if (hasOptions()) Members.invoked(leaves, coordinator, defaultOption(), reason);
        else Members.invoked(leaves, coordinator, reason);
        subscriptions.unsubscribe();
    }

    private static Object defaultOption() {
        for (Object each : Members.type(OPTIONS).getEnumConstants()) if (each.toString().equals("DEFAULT")) return each;
        throw new IllegalStateException("no DEFAULT");
    }

    private static boolean hasOptions() {
        return Members.has(OPTIONS);
    }

    /** Let the request go that says that the consumer leaves. */
    public void release() {
        network.open(node.id(), true);
        client.pollNoWakeup();
    }

    /** Whether a request has not been sent. */
    public boolean isHeldBack() {
        return client.pendingRequestCount(node) > network.inFlightRequestCount(node.idString());
    }

    /** Answer a request to join: by place, the members that the leader is told and what they own; none of others. */
    public void joined(String error, int member, int generation, int[] members, long[] owned) {
        JoinGroupResponseData data = new JoinGroupResponseData().setErrorCode(Errors.valueOf(error).code())
            .setMemberId(member == NONE ? "" : "member" + member).setGenerationId(generation)
            .setProtocolType("consumer").setProtocolName(assignor)
            .setLeader(members.length == 0 ? "another" : "member" + member);
        for (int each = 0; each < members.length; each++) {
            Subscription subscription = new Subscription(
                List.of(TOPIC), null, partitions(owned[each]), generation - 1, Optional.empty()
            );
            data.members().add(new JoinGroupResponseData.JoinGroupResponseMember().setMemberId("member" + members[each])
                .setMetadata(bytes(ConsumerProtocol.serializeSubscription(subscription))));
        }
        receive(new JoinGroupResponse(data, ApiKeys.JOIN_GROUP.latestVersion()));
    }

    /** Answer a request to sync. */
    public void synced(String error, long assigned) {
        SyncGroupResponseData data = new SyncGroupResponseData().setErrorCode(Errors.valueOf(error).code())
            .setProtocolType("consumer").setProtocolName(assignor)
            .setAssignment(bytes(ConsumerProtocol.serializeAssignment(new Assignment(partitions(assigned)))));
        receive(new SyncGroupResponse(data));
    }

    public void beaten(String error) {
        receive(new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(Errors.valueOf(error).code())));
    }

    public void left(String error) {
        receive(new LeaveGroupResponse(new LeaveGroupResponseData().setErrorCode(Errors.valueOf(error).code())));
    }

    /** The response arrives, or none because the connection breaks; the application polls if it waits for that. */
    public void receive(AbstractResponse response) {
        ClientRequest answered = held();
        network.deliver(answered, response);
        boolean isJoining = answered.apiKey() == ApiKeys.JOIN_GROUP || answered.apiKey() == ApiKeys.SYNC_GROUP;
        if (isJoining && subscriptions.hasAutoAssignedPartitions()) {
            poll();
        } else {
            client.pollNoWakeup();
            find();
            notice(() -> coordinator.pollHeartbeat(clock.milliseconds()));
        }
    }

    /** The request under way to the coordinator; null if there is none. */
    public ApiMessage request() {
        ClientRequest found = held();
        return found == null ? null : found.requestBuilder().build().data();
    }

    private ClientRequest held() {
        for (ClientRequest each : network.held) if (each.apiKey() != ApiKeys.FIND_COORDINATOR) return each;
        return null;
    }

    /** What a request to join says that the consumer owns. */
    public long claimed() {
        ByteBuffer metadata = ByteBuffer.wrap(
            ((JoinGroupRequestData) request()).protocols().iterator().next().metadata()
        );
        return bits(ConsumerProtocol.deserializeSubscription(metadata).ownedPartitions());
    }

    /** An assignment in a request to sync. */
    public long assigned(byte[] assignment) {
        return bits(ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment)).partitions());
    }

    public String state() {
        return coordinator.state.name();
    }

    public String memberId() {
        return coordinator.generation().memberId;
    }

    public int generation() {
        return coordinator.generation().generationId;
    }

    public long owned() {
        return bits(subscriptions.assignedPartitions());
    }

    public boolean needsJoin() {
        return (Boolean) Members.get(coordinator, "rejoinNeeded");
    }

    public boolean needsPreparation() {
        return (Boolean) Members.get(coordinator, "needsJoinPrepare");
    }

    public boolean isFenced() {
        return isFenced;
    }

    private static long bits(Collection<TopicPartition> partitions) {
        long bits = 0;
        for (TopicPartition each : partitions) bits |= 1L << each.partition();
        return bits;
    }

    private static List<TopicPartition> partitions(long bits) {
        List<TopicPartition> found = new ArrayList<>();
        for (int each = 0; each < Long.SIZE; each++) {
            if ((bits >> each & 1) == 1) found.add(new TopicPartition(TOPIC, each));
        }
        return found;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
