package org.apache.kafka.storage.internals.log;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.server.util.Scheduler;

/** A scheduler that holds each task until it is told to run it. Tasks that come again and again are dropped. */
public final class HoldingScheduler implements Scheduler {
    private static final class Held extends FutureTask<Void> implements ScheduledFuture<Void> {
        Held(Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void startup() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
        if (periodMs <= 0) tasks.add(task);
        return new Held(task);
    }

    @Override
    public void resizeThreadPool(int size) {
    }

    /** How many tasks it holds. */
    public int size() {
        return tasks.size();
    }

    /** Run all tasks; whether there was one. */
    public boolean runAll() {
        boolean isDue = !tasks.isEmpty();
        while (!tasks.isEmpty()) tasks.remove().run();
        return isDue;
    }
}
