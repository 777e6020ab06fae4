package org.apache.kafka.common.record.internal;

/** Lets doors import this package also in releases that have its classes in org.apache.kafka.common.record. */
public final class Present {
    private Present() {
    }
}
