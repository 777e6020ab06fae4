package org.apache.kafka.storage.internals.epoch;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.log.HoldingScheduler;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;

/**
 * Opens a leader-epoch cache with its file to Python, several of its calls at once. It decides nothing. Lists of numbers
 * go over as texts, which takes less time than as arrays.
 *
 * The cache's scheduler holds what is to be done in the background until it is told to do it.
 */
public final class EpochFileDoor {
    private static final long ABSENT = -1;

    private final TopicPartition partition = new TopicPartition("topic", 0);
    private final File path;
    private LeaderEpochCheckpointFile file;
    private final int epochs;
    private final Map<ByteBuffer, long[]> startsByContent = new HashMap<>();
    private HoldingScheduler scheduler;
    private LeaderEpochFileCache cache;

    /** A cache whose file is in `folder`; epochs up to `epochs`, which is not included, are shown. */
    public EpochFileDoor(String folder, int epochs) throws IOException {
        path = LeaderEpochCheckpointFile.newFile(new File(folder));
        this.epochs = epochs;
        start();
    }

    /** Begin with an empty file. */
    public void start() throws IOException {
        path.delete();
        file = new LeaderEpochCheckpointFile(path, new LogDirFailureChannel(1));
        load();
    }

    /** A process that begins, and reads the file; what the last one had not done in the background is lost. */
    public void load() {
        scheduler = new HoldingScheduler();
        cache = new LeaderEpochFileCache(partition, file, scheduler);
    }

    public void assign(int epoch, long startOffset) {
        cache.assign(epoch, startOffset);
    }

    public void truncateFromEnd(long endOffset) {
        cache.truncateFromEndAsyncFlush(endOffset);
    }

    public void truncateFromStart(long startOffset) {
        cache.truncateFromStartAsyncFlush(startOffset);
    }

    public void clear() {
        cache.clearAndFlush();
    }

    /** Do all that is to be done in the background; whether there was something. */
    public boolean runTasks() {
        return scheduler.runAll();
    }

    /** The epoch that the end is of, that end, and the newest epoch. */
    public String endOffsetFor(int epoch, long logEnd) {
        Map.Entry<Integer, Long> found = cache.endOffsetFor(epoch, logEnd);
        var newest = cache.latestEpoch(); // the releases differ in its type
        long[] shown = {found.getKey(), found.getValue(), newest.isPresent() ? newest.orElseThrow() : ABSENT};
        return Arrays.toString(shown);
    }

    /** The start of each epoch in memory, that of each epoch in the file, and the number of tasks in the background. */
    public String observe() throws IOException {
        long[] shown = new long[2 * epochs + 1];
        System.arraycopy(starts(cache), 0, shown, 0, epochs);
        long[] written = startsByContent.computeIfAbsent(ByteBuffer.wrap(Files.readAllBytes(path.toPath())), this::read);
        System.arraycopy(written, 0, shown, epochs, epochs);
        shown[2 * epochs] = scheduler.size();
        return Arrays.toString(shown);
    }

    // Reading a file takes longest, and many files are alike.
    private long[] read(ByteBuffer content) {
        return starts(new LeaderEpochFileCache(partition, file, scheduler));
    }

    private long[] starts(LeaderEpochFileCache shown) {
        long[] starts = new long[epochs];
        Arrays.fill(starts, ABSENT);
        shown.epochWithOffsets().forEach((epoch, start) -> starts[epoch] = start);
        return starts;
    }
}
