package kafkacheck;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.kafka.queue.EventQueue;

/** Keeps a thread of a running broker from going on until it is opened, as a pause or a slow network would. */
public final class Gate {
    private boolean isOpen = false;
    private boolean isReached = false;

    private Gate() { }

    /** Holds the thread of a queue of events; returns as soon as the thread waits. */
    public static Gate ofQueue(EventQueue queue) throws InterruptedException {
        Gate gate = new Gate();
        queue.append(gate::pass);
        gate.awaitReached();
        return gate;
    }

    /** Holds a fetcher: no fetch is sent, and no answer is used. Returns as soon as it waits, with no fetch under way. */
    public static Gate ofFetcher(Object fetcher) throws IllegalAccessException, InterruptedException {
        Gate gate = new Gate();
        gate.guard(fetcher);
        gate.awaitReached();
        return gate;
    }

    public synchronized void open() {
        isOpen = true;
        notifyAll();
    }

    private synchronized void awaitReached() throws InterruptedException {
        while (!isReached) wait();
    }

    private synchronized void pass() throws InterruptedException {
        isReached = true;
        notifyAll();
        while (!isOpen) wait();
    }

    /** Put this gate between a fetcher and its leader. A fetcher that ends goes through. */
    private void guard(Object fetcher) throws IllegalAccessException {
        for (Class<?> type = fetcher.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals("leader")) {
                    field.setAccessible(true);
                    field.set(fetcher, guarded(field.getType(), field.get(fetcher)));
                }
            }
        }
    }

    private Object guarded(Class<?> type, Object leader) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            boolean isFetch = method.getName().equals("fetch");
            if (isFetch) pass();
            if (method.getName().equals("initiateClose")) open();
            try {
                Object answer = method.invoke(leader, arguments);
                if (isFetch) pass();
                return answer;
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        });
    }
}
