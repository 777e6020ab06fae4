package org.apache.kafka.raft;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.controller.StandingClock;
import org.apache.kafka.raft.generated.QuorumStateData;
import org.apache.kafka.raft.internals.BlockingMessageQueue;
import org.apache.kafka.raft.internals.StringSerde;
import org.apache.kafka.server.common.KRaftVersion;

/**
 * Opens one voter of the metadata quorum to Python: a KafkaRaftClient, with its clock, its network and its disk.
 *
 * What the voter sends waits until it is answered. It decides nothing: every message is written and read by Kafka.
 */
public final class VoterDoor {
    /** The quorum-state file, as its data are read and written. */
    private static final class ElectionFile implements QuorumStateStore {
        private QuorumStateData written = null;

        @Override
        public Optional<ElectionState> readElectionState() {
            return Optional.ofNullable(written).map(ElectionState::fromQuorumStateData);
        }

        @Override
        public void writeElectionState(ElectionState latest, KRaftVersion version) {
            written = latest.toQuorumStateData(version.quorumStateVersion());
        }

        @Override
        public Path path() {
            return Path.of("quorum-state");
        }

        @Override
        public void clear() {
            written = null;
        }
    }

    /** Small buffers, which are not used again. */
    private static final class SmallBuffers implements MemoryPool {
        @Override
        public ByteBuffer tryAllocate(int size) {
            return ByteBuffer.allocate(Math.min(size, BUFFER_BYTES));
        }

        @Override
        public void release(ByteBuffer buffer) {
        }

        @Override
        public long size() {
            return Long.MAX_VALUE;
        }

        @Override
        public long availableMemory() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean isOutOfMemory() {
            return false;
        }
    }

    /** No chance: of several servers the first one is taken, and a timeout is its shortest. */
    private static final class NoChance extends Random {
        @Override
        public int nextInt(int bound) {
            return 0;
        }
    }

    /** A timeout of the purgatories, which never comes. */
    private static final class NoExpiration implements ExpirationService {
        @Override
        public <T> CompletableFuture<T> failAfter(long timeoutMs) {
            return new CompletableFuture<>();
        }
    }

    /** A request, and the epoch and role in which the voter sent it: in another one it awaits no response. */
    private record Sent(RaftRequest.Outbound request, int epoch, String role) {
    }

    private static final int BUFFER_BYTES = 4096;
    private static final ListenerName LISTENER = ListenerName.normalised("CONTROLLER");
    private static final int FIRST_PORT = 9990;
    private static final String CLUSTER = "cluster";
    private static final SupportedVersionRange VERSIONS = new SupportedVersionRange((short) 0, (short) 1);

    private final int id;
    private final Map<Integer, InetSocketAddress> addresses;
    private final Path bootstrap;
    private final QuorumConfig config;
    private final List<Sent> sent = new ArrayList<>();
    private final Map<Integer, CompletableFuture<RaftResponse.Inbound>> awaited = new HashMap<>();
    private StandingClock clock;
    private Uuid directory;
    private ElectionFile file;
    private MemoryLog log;
    private BlockingMessageQueue queue;
    private KafkaRaftClient<String> client;
    private int correlation = 0;

    /** bootstrap: the folder of the snapshot that names the voters; null if the configuration names them. */
    public VoterDoor(int id, int voters, Map<String, Object> settings, Path bootstrap, Uuid directory) {
        this.id = id;
        this.addresses = addresses(voters);
        this.bootstrap = bootstrap;
        this.directory = directory;
        config = new QuorumConfig(new AbstractConfig(QuorumConfig.CONFIG_DEF, settings, false));
        file = new ElectionFile();
        log = new MemoryLog(bootstrap);
    }

    /** Write the snapshot that names the first voters and their directories. */
    public static void writeBootstrap(Path folder, List<Uuid> directories) throws IOException {
        Map<Integer, VoterSet.VoterNode> voters = new TreeMap<>();
        addresses(directories.size()).forEach((voter, address) -> voters.put(voter, VoterSet.VoterNode.of(
            ReplicaKey.of(voter, directories.get(voter)), endpoints(address), VERSIONS)));
        MemoryLog.writeBootstrap(folder, VoterSet.fromMap(voters), new StringSerde());
    }

    private static Map<Integer, InetSocketAddress> addresses(int voters) {
        Map<Integer, InetSocketAddress> found = new TreeMap<>();
        for (int each = 0; each < voters; each++) {
            found.put(each, InetSocketAddress.createUnresolved("localhost", FIRST_PORT + each));
        }
        return found;
    }

    private static Endpoints endpoints(InetSocketAddress address) {
        return Endpoints.fromInetSocketAddresses(Map.of(LISTENER, address));
    }

    /** Start the voter's process on its disk. */
    public void start() throws ReflectiveOperationException {
        sent.clear();
        awaited.clear();
        clock = new StandingClock();
        queue = new BlockingMessageQueue();
        client = newClient();
        client.initialize(bootstrap == null ? addresses : Map.of(), file, new Metrics(), ignored -> { });
    }

    // The types of the log and of the log context have other names in each release.
    @SuppressWarnings("unchecked")
    private KafkaRaftClient<String> newClient() throws ReflectiveOperationException {
        var constructor = KafkaRaftClient.class.getDeclaredConstructors()[0];
        for (var each : KafkaRaftClient.class.getDeclaredConstructors()) {
            if (each.getParameterCount() > constructor.getParameterCount()) constructor = each;
        }
        Class<?>[] kinds = constructor.getParameterTypes();
        List<InetSocketAddress> servers = bootstrap == null ? List.of() : new ArrayList<>(addresses.values());
        try {
            return (KafkaRaftClient<String>) constructor.newInstance(
                OptionalInt.of(id), directory, new StringSerde(), proxy(NetworkChannel.class, this::onChannel),
                proxy(RaftMessageQueue.class, this::onQueue), log.as(kinds[5]), new SmallBuffers(), clock,
                new NoExpiration(), 0, true, CLUSTER, servers, endpoints(addresses.get(id)), VERSIONS,
                kinds[15].getConstructor().newInstance(), new NoChance(), config);
        } catch (InvocationTargetException error) {
            throw new IllegalStateException(error.getCause());
        }
    }

    private static <T> T proxy(Class<T> kind, InvocationHandler handler) {
        return kind.cast(Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, handler));
    }

    // In older releases a request brings the future of its response; newer ones return it.
    @SuppressWarnings("unchecked")
    private Object onChannel(Object proxy, Method method, Object[] given) throws ReflectiveOperationException {
        switch (method.getName()) {
            case "newCorrelationId": return correlation++;
            case "listenerName": return LISTENER;
            case "close": return null;
            case "send":
                RaftRequest.Outbound request = (RaftRequest.Outbound) given[0];
                boolean returns = method.getReturnType() != void.class;
                var future = returns ? new CompletableFuture<RaftResponse.Inbound>()
                    : (CompletableFuture<RaftResponse.Inbound>) completion(request);
                sent.add(new Sent(request, client.quorum().epoch(), role()));
                awaited.put(request.correlationId(), future);
                return returns ? future : null;
            default: throw new IllegalStateException("a call of the network that the door does not know: " + method);
        }
    }

    private static Object completion(RaftRequest request) throws ReflectiveOperationException {
        return request.getClass().getField("completion").get(request);
    }

    // Kafka's queue, for which nobody waits.
    private Object onQueue(Object proxy, Method method, Object[] given) throws ReflectiveOperationException {
        try {
            return method.invoke(queue, method.getName().equals("poll") ? new Object[] {0L} : given);
        } catch (InvocationTargetException error) {
            throw new IllegalStateException(error.getCause());
        }
    }

    /** Let the voter do all that it can do now, unless its machine loses power. */
    public void run() {
        try {
            client.poll();
            while (!queue.isEmpty()) client.poll();
            client.poll();
        } catch (MemoryLog.PowerLoss lost) {
            client = null;
        }
    }

    /** Let the voter's clock advance, in milliseconds, and the voter act by it. */
    public void sleep(long milliseconds) {
        clock.sleep(milliseconds);
        run();
    }

    /** Let a voter that leads append one record. */
    public void append(String record) {
        client.prepareAppend(client.quorum().epoch(), List.of(record));
        client.schedulePreparedAppend();
        run();
    }

    /** From now on the machine loses power when the log is to be flushed. */
    public void failToFlush() {
        log.failsToFlush = true;
    }

    /** Keep the first batches of the log, and lose the others. */
    public void keep(int count) {
        log.cutTo(count);
    }

    /** Put an empty disk, of another directory id, into the machine. */
    public void replaceDisk(Uuid directory) {
        this.directory = directory;
        file = new ElectionFile();
        log = new MemoryLog(null);
    }

    /** The newest request of a kind that awaits a response, to a voter or (-1) any one; null if there is none. */
    public RaftRequest.Outbound request(String kind, int voter) {
        RaftRequest.Outbound found = null;
        for (Sent each : sent) {
            boolean isAwaited = each.epoch() == client.quorum().epoch() && each.role().equals(role());
            boolean fits = each.request().data().getClass().getSimpleName().equals(kind);
            fits &= voter < 0 || each.request().destination().id() == voter;
            if (isAwaited && fits) found = each.request();
        }
        return found;
    }

    /** Bring the response to a request. */
    public void answer(RaftRequest.Outbound request, ApiMessage response) {
        sent.removeIf(each -> each.request() == request);
        awaited.remove(request.correlationId())
            .complete(new RaftResponse.Inbound(request.correlationId(), response, request.destination()));
        run();
    }

    /** Receive a request of another voter. */
    @SuppressWarnings("unchecked")
    public CompletableFuture<RaftResponse.Outbound> receive(RaftRequest.Outbound request)
            throws ReflectiveOperationException {
        ApiMessage data = request.data();
        RaftRequest.Inbound inbound = new RaftRequest.Inbound(
            LISTENER, request.correlationId(), data.highestSupportedVersion(), data, clock.milliseconds());
        Object returned = KafkaRaftClient.class.getMethod("handle", RaftRequest.Inbound.class).invoke(client, inbound);
        run();
        return returned == null ? (CompletableFuture<RaftResponse.Outbound>) completion(inbound)
            : ((CompletionStage<RaftResponse.Outbound>) returned).toCompletableFuture();
    }

    /** The voter's epoch. */
    public int epoch() {
        return client.quorum().epoch();
    }

    /** The name of the voter's state; "off" if its machine has lost power. */
    public String role() {
        if (client == null) return "off";
        QuorumState quorum = client.quorum();
        if (quorum.isLeader()) return "leader";
        if (quorum.isCandidate()) return "candidate";
        if (quorum.isFollower()) return "follower";
        if (quorum.isUnattached()) return "unattached";
        if (quorum.isResigned()) return "resigned";
        return "prospective";
    }

    /** How many batches the log has. */
    public int length() {
        return log.epochs().length;
    }

    /** Whether the first batches of this voter's log are all that the other one has. */
    public boolean hasAllOf(VoterDoor other) {
        int length = other.length();
        return length <= length() && Arrays.equals(log.epochs(), 0, length, other.log.epochs(), 0, length);
    }

    /**
     * The voter in numbers: its epoch, whether it is an observer, and the voter that has its vote, or -1; how many
     * batches its log has, and the epoch of each; how many votes it has counted as a candidate, and by whom. For a
     * leader there follow the batches before its first one, below its high watermark, and below each voter's end, or
     * -1.
     */
    public String shown() {
        QuorumState quorum = client.quorum();
        List<Integer> found = new ArrayList<>();
        found.add(quorum.epoch());
        found.add(quorum.isObserver() ? 1 : 0);
        found.add(quorum.votedKey().map(ReplicaKey::id).orElse(-1));
        found.add(length());
        for (int each : log.epochs()) found.add(each);
        Set<Integer> granting = quorum.isCandidate()
            ? quorum.candidateStateOrThrow().epochElection().grantingVoters() : Set.of();
        found.add(granting.size());
        found.addAll(granting);
        quorum.maybeLeaderState().ifPresent(state -> {
            found.add(log.batchesBefore(state.epochStartOffset()));
            found.add(log.batchesBefore(state.highWatermark().map(LogOffsetMetadata::offset).orElse(0L)));
            for (int voter : addresses.keySet()) {
                Optional<LogOffsetMetadata> end = state.voterStates().get(voter).endOffset();
                found.add(end.isEmpty() ? -1 : log.batchesBefore(end.get().offset()));
            }
        });
        return found.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
}
