package org.apache.kafka.coordinator.group;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;

/**
 * The requests of the classic protocol to one coordinator, each by its connection, and their answers. It decides nothing.
 */
public final class ClassicRequests {
    /** The answer to a request: the name of the error, and what is in it; `owned` by member. */
    public record Answer(String error, int member, int generation, long members, long[] owned, long assigned) { }

    private static final int SESSION_MS = 10_000;
    private static final int REBALANCE_MS = 30_000;
    private static final int NONE = -1;
    private static final int BEFORE_IDS_ARE_REQUIRED = 3;
    private static final boolean ASKS_ABOUT_CLEANUP = Arrays.stream(GroupCoordinatorShard.class.getMethods())
        .anyMatch(each -> each.getName().equals("classicGroupJoin") && each.getParameterCount() == 4);

    private final RequestContext context = AroundManager.context(ApiKeys.HEARTBEAT, ApiKeys.HEARTBEAT.latestVersion());
    private final RequestContext before = AroundManager.context(ApiKeys.JOIN_GROUP, BEFORE_IDS_ARE_REQUIRED);
    private final RequestContext newest = AroundManager.context(ApiKeys.JOIN_GROUP, ApiKeys.JOIN_GROUP.latestVersion());
    private final AroundManager around;
    private final String group;
    private final ToIntFunction<String> numberOf;
    private final ToLongFunction<byte[]> owned;
    private final ToLongFunction<byte[]> assigned;
    private CompletableFuture<?>[] requests;

    /** `numberOf` tells the number of a member id; `owned` and `assigned` tell the partitions in what members send. */
    ClassicRequests(
        AroundManager around, String group, ToIntFunction<String> numberOf, ToLongFunction<byte[]> owned,
        ToLongFunction<byte[]> assigned
    ) {
        this.around = around;
        this.group = group;
        this.numberOf = numberOf;
        this.owned = owned;
        this.assigned = assigned;
    }

    /** Begin with so many connections, on which nothing is under way. */
    void start(int connections) {
        requests = new CompletableFuture<?>[connections];
    }

    /** JoinGroup; without `requiresId` in a version that is older than KIP-394. */
    void join(
        int connection, boolean requiresId, String member, String instance, String type, String protocol, byte[] metadata
    ) {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName(protocol).setMetadata(metadata));
        JoinGroupRequestData request = new JoinGroupRequestData()
            .setGroupId(group)
            .setMemberId(member)
            .setGroupInstanceId(instance)
            .setProtocolType(type)
            .setProtocols(protocols)
            .setSessionTimeoutMs(SESSION_MS)
            .setRebalanceTimeoutMs(REBALANCE_MS);
        CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        requests[connection] = answer;
        RequestContext joining = requiresId ? newest : before;
        try {
            if (ASKS_ABOUT_CLEANUP) around.asked("classicGroupJoin", joining, request, answer, false);
            else around.asked("classicGroupJoin", joining, request, answer);
        } catch (ApiException error) {
            answer.complete(new JoinGroupResponseData().setErrorCode(Errors.forException(error).code()));
        }
    }

    /** SyncGroup, for the group of that request. */
    void sync(int connection, SyncGroupRequestData request) {
        CompletableFuture<SyncGroupResponseData> answer = new CompletableFuture<>();
        requests[connection] = answer;
        try {
            around.asked("classicGroupSync", context, request.setGroupId(group), answer);
        } catch (ApiException error) {
            answer.complete(new SyncGroupResponseData().setErrorCode(Errors.forException(error).code()));
        }
    }

    /** Heartbeat. */
    void heartbeat(int connection, String member, String instance, int generation) {
        HeartbeatRequestData request = new HeartbeatRequestData()
            .setGroupId(group)
            .setMemberId(member)
            .setGroupInstanceId(instance)
            .setGenerationId(generation);
        HeartbeatResponseData answer;
        try {
            answer = (HeartbeatResponseData) around.asked("classicGroupHeartbeat", context, request);
        } catch (ApiException error) {
            answer = new HeartbeatResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[connection] = CompletableFuture.completedFuture(answer);
    }

    /** LeaveGroup of one member. */
    void leave(int connection, String member, String instance) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group).setMembers(
            List.of(new MemberIdentity().setMemberId(member).setGroupInstanceId(instance)));
        LeaveGroupResponseData answer;
        try {
            answer = (LeaveGroupResponseData) around.asked("classicGroupLeave", context, request);
        } catch (ApiException error) {
            answer = new LeaveGroupResponseData().setErrorCode(Errors.forException(error).code());
        }
        requests[connection] = CompletableFuture.completedFuture(answer);
    }

    /** The consumer has its answer, or its connection is broken. */
    void forget(int connection) {
        requests[connection] = null;
    }

    /** How far the request of a connection is. */
    String stage(int connection) {
        if (requests[connection] == null) return "IDLE";
        return requests[connection].isDone() ? "ANSWERED" : "PARKED";
    }

    /** The answer that a connection has. A leader that is to skip the assignment counts as told of nobody. */
    Answer answer(int connection) {
        Object given = requests[connection].join();
        if (given instanceof JoinGroupResponseData join) {
            long members = 0;
            long[] claims = new long[Long.SIZE];
            if (!join.skipAssignment()) {
                for (JoinGroupResponseData.JoinGroupResponseMember each : join.members()) {
                    int number = numberOf.applyAsInt(each.memberId());
                    members |= 1L << number;
                    claims[number] = owned.applyAsLong(each.metadata());
                }
            }
            int number = numberOf.applyAsInt(join.memberId());
            return new Answer(name(join.errorCode()), number, join.generationId(), members, claims, 0);
        }
        if (given instanceof SyncGroupResponseData sync) {
            return blank(sync.errorCode(), assigned.applyAsLong(sync.assignment()));
        }
        if (given instanceof HeartbeatResponseData heartbeat) return blank(heartbeat.errorCode(), 0);
        LeaveGroupResponseData leave = (LeaveGroupResponseData) given;
        return blank(leave.members().isEmpty() ? leave.errorCode() : leave.members().get(0).errorCode(), 0);
    }

    private static Answer blank(short error, long assigned) {
        return new Answer(name(error), NONE, NONE, 0, new long[Long.SIZE], assigned);
    }

    private static String name(short error) {
        return Errors.forCode(error).name();
    }
}
