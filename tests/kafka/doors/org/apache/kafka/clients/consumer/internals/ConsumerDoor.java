package org.apache.kafka.clients.consumer.internals;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import kafkacheck.Filled;
import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.internals.events.BackgroundEventHandler;
import org.apache.kafka.clients.consumer.internals.events.CompletableEvent;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.controller.StandingClock;

/**
 * Opens the membership of one consumer to Python: `ConsumerMembershipManager` with `ConsumerHeartbeatRequestManager`.
 *
 * It stands for what lies around them: the commit before a reconciliation, which lasts until Python ends it; the thread
 * of the application, which handles its events at once, and calls a listener back that lasts as long if the consumer
 * leaves or is slow; the network; and the metadata. It decides nothing. Members, topics, partitions and their sets are numbered as
 * in `GroupDoor`.
 */
public final class ConsumerDoor {
    private static final int TIMEOUT_MS = 2_000_000_000;
    private static final long STEP_MS = 60_000;
    private static final int INTERVAL_MS = 5_000;
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");
    private static final ConsumerRebalanceListener LISTENER = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) { }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) { }
    };

    private final int topicCount;
    private final StandingClock clock = new StandingClock();
    private final SubscriptionState subscriptions;
    private final ConsumerMembershipManager membership;
    private final ConsumerHeartbeatRequestManager heartbeats;
    private CompletableFuture<Void> commit;
    private CompletableFuture<?> leaving;
    private boolean isHeld;
    private final Map<Uuid, String> names = new HashMap<>();
    private NetworkClientDelegate.UnsentRequest request;
    private NetworkClientDelegate.UnsentRequest former;
    private NetworkClientDelegate.UnsentRequest leave;

    /** A consumer with this number as a member of the group, whose metadata has all topics. */
    public ConsumerDoor(int member, int topics, long subscribed) throws ReflectiveOperationException {
        this(member, topics, subscribed, 0);
    }

    /** One whose metadata does not have some topics; it subscribes to topics, and joins. */
    public ConsumerDoor(int member, int topics, long subscribed, long unknown) throws ReflectiveOperationException {
        topicCount = topics;
        for (int each = 0; each < topics; each++) if ((unknown >> each & 1) == 0) resolve(each);
        subscriptions = new Filled(LOG_CONTEXT, AutoOffsetResetStrategy.LATEST).of(SubscriptionState.class);
        Object metadata = StandIn.of(
            ConsumerMetadata.class, Set.of("topicNames", "requestUpdate"),
            (name, given) -> name.equals("topicNames") ? names : 0
        );
        Object commits = StandIn.of(
            CommitRequestManager.class, Set.of("maybeAutoCommitSyncBeforeRebalance", "resetAutoCommitTimer"),
            (name, given) -> name.startsWith("maybe") ? commit = new CompletableFuture<>() : null
        );
        Object events = StandIn.of(BackgroundEventHandler.class, Set.of("add"), (name, given) -> handle(given[0]));
        Object coordinators = StandIn.of(
            CoordinatorRequestManager.class,
            Set.of("coordinator", "getAndClearFatalError", "handleCoordinatorDisconnect", "markCoordinatorUnknown"),
            (name, given) -> name.equals("coordinator") ? Optional.of(new Node(0, "localhost", 9092)) : Optional.empty()
        );
        Filled filled = new Filled(
            LOG_CONTEXT, clock, subscriptions, metadata, commits, events, coordinators, new Metrics(), "group",
            Optional.empty(), TIMEOUT_MS, false, new ConsumerConfig(Map.of(
                "bootstrap.servers", "localhost:9092", "max.poll.interval.ms", TIMEOUT_MS,
                "key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer",
                "value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"
            ))
        );
        membership = filled.of(ConsumerMembershipManager.class);
        Members.set(membership, "memberId", "member" + member);
        heartbeats = filled.with(membership).of(ConsumerHeartbeatRequestManager.class);
        subscribe(subscribed);
        membership.transitionToJoining();
    }

    /** From now on the consumer is a static one, with this instance id; it has sent nothing yet. */
    public void giveInstance(int instance) {
        Members.set(membership, "groupInstanceId", Optional.of("instance" + instance));
    }

    /** The application subscribes again after it has left, once its listener has returned, and polls. */
    public void join(long topics) {
        release();
        subscribe(topics);
        membership.onConsumerPoll();
    }

    /** What the application's thread does with an event: it calls the listener back, and completes the event. */
    @SuppressWarnings("unchecked")
    private Object handle(Object event) {
        if (!(event instanceof CompletableEvent<?> waits)) return null;
        if (event.getClass().getSimpleName().equals("PartitionsAssignedEvent")) {
            Members.call(
                membership, "applyAssignment", (Set<TopicPartition>) Members.call(event, "assignedPartitions"),
                (SortedSet<TopicPartition>) Members.call(event, "addedPartitions")
            );
        }
        if (isHeld) leaving = waits.future();
        else waits.future().complete(null);
        return null;
    }

    /** The application subscribes to other topics. */
    public void subscribe(long topics) {
        Set<String> names = new TreeSet<>();
        for (int each = 0; each < topicCount; each++) if ((topics >> each & 1) == 1) names.add("topic" + each);
        subscriptions.subscribe(names, Optional.of(LISTENER));
        membership.onSubscriptionUpdated();
    }

    /** The metadata has the name of a topic from now on. */
    public void resolve(int topic) {
        names.put(new Uuid(1, topic + 1), "topic" + topic);
    }

    /** Send the heartbeat that is due when time has passed; null if none is. The application polls, unless it is slow. */
    public ConsumerGroupHeartbeatRequestData send() {
        if (membership.state() != MemberState.STALE) {
            clock.sleep(STEP_MS);
            heartbeats.resetPollTimer(clock.milliseconds());
        }
        List<NetworkClientDelegate.UnsentRequest> sent = heartbeats.poll(clock.milliseconds()).unsentRequests;
        if (sent.isEmpty()) return null;
        request = sent.get(0);
        return data(request);
    }

    private static ConsumerGroupHeartbeatRequestData data(NetworkClientDelegate.UnsentRequest sent) {
        return ((ConsumerGroupHeartbeatRequest) sent.requestBuilder().build()).data();
    }

    /** The application has not polled for too long; the heartbeat that says that the consumer leaves, null if none. */
    public ConsumerGroupHeartbeatRequestData expire() {
        clock.sleep(TIMEOUT_MS + 1L);
        isHeld = true;
        List<NetworkClientDelegate.UnsentRequest> sent = heartbeats.poll(clock.milliseconds()).unsentRequests;
        isHeld = false;
        if (sent.isEmpty()) return null;
        former = request;
        request = null;
        leave = sent.get(0);
        return data(leave);
    }

    /** The application polls; whether a consumer has waited for that. */
    public boolean poll() {
        boolean isAwaited = membership.state() == MemberState.STALE && isPollTimerExpired();
        heartbeats.resetPollTimer(clock.milliseconds());
        return isAwaited;
    }

    public boolean isPollTimerExpired() {
        return (Boolean) Members.get(membership, "isPollTimerExpired");
    }

    public boolean isFormerUnderWay() {
        return former != null;
    }

    public boolean isLeaveUnderWay() {
        return leave != null;
    }

    /** The response to a heartbeat arrives that was under way when the poll interval ended. */
    public void receiveFormer(String error, int memberEpoch, long assigned) {
        NetworkClientDelegate.UnsentRequest answered = former;
        former = null;
        answer(answered, error, memberEpoch, assigned);
    }

    /** The response to the leave arrives. */
    public void receiveLeave(String error) {
        NetworkClientDelegate.UnsentRequest answered = leave;
        leave = null;
        answer(answered, error, data(answered).memberEpoch(), -1);
    }

    /** The response arrives; -1 stands for no assignment. */
    public void receive(String error, int memberEpoch, long assigned) {
        NetworkClientDelegate.UnsentRequest answered = request;
        request = null;
        answer(answered, error, memberEpoch, assigned);
    }

    private void answer(
        NetworkClientDelegate.UnsentRequest answered, String error, int memberEpoch, long assigned
    ) {
        ConsumerGroupHeartbeatResponseData data = new ConsumerGroupHeartbeatResponseData()
            .setErrorCode(Errors.valueOf(error).code())
            .setMemberId(membership.memberId())
            .setMemberEpoch(memberEpoch)
            .setHeartbeatIntervalMs(INTERVAL_MS);
        if (assigned >= 0) {
            ConsumerGroupHeartbeatResponseData.Assignment assignment =
                new ConsumerGroupHeartbeatResponseData.Assignment();
            for (int topic = 0; topic < topicCount; topic++) {
                TreeSet<Integer> indexes = new TreeSet<>();
                for (int each = topic; each < Long.SIZE; each += topicCount) {
                    if ((assigned >> each & 1) == 1) indexes.add(each / topicCount);
                }
                if (indexes.isEmpty()) continue;
                assignment.topicPartitions().add(new ConsumerGroupHeartbeatResponseData.TopicPartitions()
                    .setTopicId(new Uuid(1, topic + 1)).setPartitions(List.copyOf(indexes)));
            }
            data.setAssignment(assignment);
        }
        RequestHeader header = new RequestHeader(ApiKeys.CONSUMER_GROUP_HEARTBEAT, (short) 1, "client", 0);
        answered.handler().onComplete(new ClientResponse(
            header, answered.handler(), "0", 0, clock.milliseconds(), false, null, null,
            new ConsumerGroupHeartbeatResponse(data)
        ));
    }

    /** The connection breaks before the responses come. */
    public void lose() {
        for (NetworkClientDelegate.UnsentRequest lost : new NetworkClientDelegate.UnsentRequest[] {former, leave, request}) {
            if (lost != null) lost.handler().onFailure(clock.milliseconds(), DisconnectException.INSTANCE);
        }
        former = null;
        leave = null;
        request = null;
    }

    /** Begin to apply the newest assignment, if there is something to do; whether anything has changed. */
    public boolean reconcile() {
        MemberState before = membership.state();
        boolean wasBusy = membership.reconciliationInProgress();
        membership.maybeReconcile(true);
        return membership.state() != before || membership.reconciliationInProgress() != wasBusy;
    }

    /** The commit before a reconciliation is done, and what follows goes on; whether one was under way. */
    public boolean complete() {
        if (commit == null || commit.isDone()) return false;
        commit.complete(null);
        return true;
    }

    /** The application leaves the group, as when it unsubscribes. */
    public void leave() {
        isHeld = true;
        membership.leaveGroup();
        isHeld = false;
    }

    /** The listener has returned; whether a consumer waited for it. */
    public boolean release() {
        if (!isReleasing()) return false;
        leaving.complete(null);
        return true;
    }

    /** Whether the listener has been called because the consumer leaves, and has not returned. */
    public boolean isReleasing() {
        return leaving != null && !leaving.isDone();
    }

    public boolean isWaiting() {
        return request != null;
    }

    public String state() {
        return membership.state().name();
    }

    public boolean isReconciling() {
        return membership.reconciliationInProgress();
    }

    public boolean hasRejoined() {
        return (Boolean) Members.get(membership, "rejoinedWhileReconciliationInProgress");
    }

    public boolean isApplied() {
        return (Boolean) Members.call(membership, "targetAssignmentReconciled");
    }

    /** The epoch, then the partitions that heartbeats name, those of the target, and those that it processes. */
    public long[] known() {
        long processed = 0;
        for (TopicPartition each : subscriptions.assignedPartitions()) {
            processed |= 1L << each.partition() * topicCount + Integer.parseInt(each.topic().substring(5));
        }
        AbstractMembershipManager.LocalAssignment target =
            (AbstractMembershipManager.LocalAssignment) Members.get(membership, "currentTargetAssignment");
        return new long[] {
            membership.memberEpoch(), bits(membership.currentAssignment()), bits(target), processed
        };
    }

    private long bits(AbstractMembershipManager.LocalAssignment assignment) {
        long bits = 0;
        for (Map.Entry<Uuid, SortedSet<Integer>> each : assignment.partitions.entrySet()) {
            int topic = (int) each.getKey().getLeastSignificantBits() - 1;
            for (int index : each.getValue()) bits |= 1L << index * topicCount + topic;
        }
        return bits;
    }
}
