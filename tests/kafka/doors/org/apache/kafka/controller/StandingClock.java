package org.apache.kafka.controller;

import java.util.function.Supplier;

import org.apache.kafka.common.utils.Time;

/** A clock that only moves when it is told to. */
public final class StandingClock implements Time {
    private long milliseconds = 0;

    @Override
    public long milliseconds() {
        return milliseconds;
    }

    @Override
    public long nanoseconds() {
        return milliseconds * 1_000_000;
    }

    @Override
    public void sleep(long more) {
        milliseconds += more;
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
        throw new UnsupportedOperationException();
    }
}
