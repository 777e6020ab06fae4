package org.apache.kafka.clients;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** Connections that hold each request until somebody answers it. */
public class HeldNetwork implements KafkaClient {
    /** The requests under way, the oldest first. */
    public final List<ClientRequest> held = new ArrayList<>();
    private final Set<Integer> closed = new HashSet<>();
    private final int inFlight;
    private final Node node;
    private int sent = 0;

    /** So many requests may be under way to each node; requests that may go to any node go to this one. */
    public HeldNetwork(int inFlight, Node node) {
        this.inFlight = inFlight;
        this.node = node;
    }

    /** Open or close a node for new requests. */
    public void open(int id, boolean isOpen) {
        if (isOpen) closed.remove(id);
        else closed.add(id);
    }

    /** Bring the response to a request, or none because its connection has broken. */
    public void deliver(ClientRequest request, AbstractResponse body) {
        held.remove(request);
        short version = request.requestBuilder().latestAllowedVersion();
        new ClientResponse(
            request.makeHeader(version), request.callback(), request.destination(), 0, 0, body == null, null, null, body
        ).onComplete();
    }

    @Override
    public boolean isReady(Node to, long now) {
        return !closed.contains(to.id()) && inFlightRequestCount(to.idString()) < inFlight;
    }

    @Override
    public boolean ready(Node to, long now) {
        return isReady(to, now);
    }

    @Override
    public long connectionDelay(Node to, long now) {
        return 0;
    }

    @Override
    public long pollDelayMs(Node to, long now) {
        return 0;
    }

    @Override
    public boolean connectionFailed(Node to) {
        return false;
    }

    @Override
    public AuthenticationException authenticationException(Node to) {
        return null;
    }

    @Override
    public void send(ClientRequest request, long now) {
        held.add(request);
    }

    @Override
    public List<ClientResponse> poll(long timeout, long now) {
        return List.of();
    }

    @Override
    public void disconnect(String id) { }

    @Override
    public void close(String id) { }

    @Override
    public LeastLoadedNode leastLoadedNode(long now) {
        return new LeastLoadedNode(node, true);
    }

    @Override
    public int inFlightRequestCount() {
        return held.size();
    }

    @Override
    public boolean hasInFlightRequests() {
        return !held.isEmpty();
    }

    @Override
    public int inFlightRequestCount(String id) {
        return (int) held.stream().filter(each -> each.destination().equals(id)).count();
    }

    @Override
    public boolean hasInFlightRequests(String id) {
        return inFlightRequestCount(id) > 0;
    }

    @Override
    public boolean hasReadyNodes(long now) {
        return true;
    }

    @Override
    public void wakeup() { }

    @Override
    public ClientRequest newClientRequest(String id, AbstractRequest.Builder<?> builder, long now, boolean expects) {
        return newClientRequest(id, builder, now, expects, 0, null);
    }

    @Override
    public ClientRequest newClientRequest(
        String id, AbstractRequest.Builder<?> builder, long now, boolean expects, int timeout, RequestCompletionHandler to
    ) {
        return new ClientRequest(id, builder, sent++, "producer", now, expects, timeout, to);
    }

    @Override
    public void initiateClose() { }

    @Override
    public boolean active() {
        return true;
    }

    @Override
    public void close() { }
}
