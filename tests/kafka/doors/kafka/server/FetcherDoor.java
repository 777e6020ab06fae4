package kafka.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.server.network.BrokerEndPoint;

/**
 * Lets the fetcher of one leader run by hand, and stands for its connection to that leader.
 *
 * Kafka makes the fetcher, which is never started. Its work is done in another thread, which waits wherever the fetcher
 * sends a request; meanwhile the adapter goes on. So there is always one thread that runs.
 */
public final class FetcherDoor implements BlockingSend {
    private static final Object FINISHED = new Object();
    private static final ExecutorService WORKERS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    private final BrokerEndPoint leader;
    private final SynchronousQueue<Object> turns = new SynchronousQueue<>();
    private final SynchronousQueue<Object> answers = new SynchronousQueue<>();
    private final ReplicaFetcherThread fetcher;
    private AbstractRequest.Builder<?> request;

    private FetcherDoor(BrokerEndPoint leader, ReplicaFetcherThread made, boolean truncatesOnFetch) {
        this.leader = leader;
        ((BlockingSend) Members.get(made.leader(), "blockingSender")).close();
        Members.set(made.leader(), "blockingSender", this);
        StandIn.Handler answer = (method, arguments) -> truncatesOnFetch;
        try {
            Members.set(made, "leader", StandIn.in(made.leader(), Set.of("isTruncationOnFetchSupported"), answer));
            fetcher = StandIn.in(made, Set.of("start"), (method, arguments) -> null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /**
     * Give the replicas of a broker fetchers that run by hand; the map has the newest one of each leader.
     *
     * If they do not truncate on fetch, they ask for the end of an epoch first, as those do which move a log to another
     * disk.
     */
    public static Map<Integer, FetcherDoor> open(ReplicaManager replicas, boolean truncatesOnFetch)
        throws ReflectiveOperationException {
        Map<Integer, FetcherDoor> doors = new ConcurrentHashMap<>();
        ReplicaFetcherManager manager = replicas.replicaFetcherManager();
        StandIn.Handler create = (method, arguments) -> {
            BrokerEndPoint leader = (BrokerEndPoint) arguments[1];
            ReplicaFetcherThread made = manager.createFetcherThread((Integer) arguments[0], leader);
            FetcherDoor door = new FetcherDoor(leader, made, truncatesOnFetch);
            doors.put(leader.id(), door);
            return door.fetcher;
        };
        Members.set(replicas, "replicaFetcherManager", StandIn.in(manager, Set.of("createFetcherThread"), create));
        return doors;
    }

    public ReplicaFetcherThread fetcher() {
        return fetcher;
    }

    /** The request that waits for its answer, or null. */
    public AbstractRequest.Builder<?> request() {
        return request;
    }

    /** Let the fetcher work until it sends a request, or has nothing more to do; the request, or null. */
    public AbstractRequest.Builder<?> work() throws InterruptedException {
        return begin("doWork");
    }

    /** Let the fetcher do the first half of its work, in which it truncates the log. */
    public AbstractRequest.Builder<?> truncate() throws InterruptedException {
        return begin("maybeTruncate");
    }

    private AbstractRequest.Builder<?> begin(String method) throws InterruptedException {
        WORKERS.execute(() -> {
            Object end = FINISHED;
            try {
                Members.call(fetcher, method);
            } catch (Throwable failure) {
                end = failure;
            }
            give(turns, end);
        });
        return next();
    }

    /** Answer the request, and let the fetcher go on until it sends another one, or null. */
    public AbstractRequest.Builder<?> answer(ClientResponse response) throws InterruptedException {
        return goOn(response);
    }

    /** Break the connection, so that the request gets no answer. */
    public AbstractRequest.Builder<?> disconnect() throws InterruptedException {
        return goOn(new UncheckedIOException(new IOException("the connection is broken")));
    }

    private AbstractRequest.Builder<?> goOn(Object answer) throws InterruptedException {
        request = null;
        answers.put(answer);
        return next();
    }

    private AbstractRequest.Builder<?> next() throws InterruptedException {
        Object turn = turns.take();
        if (turn instanceof Throwable failure) throw new IllegalStateException("the fetcher has failed", failure);
        request = turn == FINISHED ? null : (AbstractRequest.Builder<?>) turn;
        return request;
    }

    private static void give(SynchronousQueue<Object> queue, Object each) {
        try {
            queue.put(each);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public ClientResponse sendRequest(AbstractRequest.Builder<? extends AbstractRequest> builder) {
        give(turns, builder);
        Object answer;
        try {
            answer = answers.take();
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
        if (answer instanceof RuntimeException failure) throw failure;
        return (ClientResponse) answer;
    }

    @Override
    public BrokerEndPoint brokerEndPoint() {
        return leader;
    }

    /** Kafka ends the fetcher: what it waits for will not come. */
    @Override
    public void initiateClose() {
        try {
            if (request != null) disconnect();
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public void close() {
    }
}
