package kafka.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.util.Scheduler;

import scala.Option;

/**
 * Stands for what lies around a Partition: requests that wait for its high watermark, and background threads.
 *
 * Where Kafka would look at the waiting requests of its purgatories, it calls the adapter; background work never runs.
 */
public final class PartitionDoor extends DelayedOperations implements Scheduler {
    /** Work that never runs. */
    private static final class Idle extends CompletableFuture<Void> implements ScheduledFuture<Void> {
        @Override
        public long getDelay(TimeUnit unit) {
            return Long.MAX_VALUE;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    private final Runnable look;

    public PartitionDoor(TopicPartition partition, Runnable look) {
        super(Option.empty(), partition, null, null, null, null);
        this.look = look;
    }

    @Override
    public void checkAndCompleteAll() {
        look.run();
    }

    @Override
    public int numDelayedDelete() {
        return 0;
    }

    @Override
    public void startup() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
        return new Idle();
    }

    @Override
    public void resizeThreadPool(int size) {
    }
}
