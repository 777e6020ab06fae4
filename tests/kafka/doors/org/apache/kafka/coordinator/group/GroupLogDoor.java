package org.apache.kafka.coordinator.group;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import kafkacheck.Members;

import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;

/**
 * Opens the log of a group to Python, and a second coordinator that reads it while it is compacted.
 *
 * The records are those that the first coordinator wrote. The door removes those that the log cleaner would remove: a
 * later record has the same key, and the cleaner has got beyond that. It decides nothing else.
 */
public final class GroupLogDoor extends MigrationDoor {
    private final List<Integer> ends = new ArrayList<>();
    private MigrationDoor reader;

    @Override
    public void start(int topics, long existing) throws ReflectiveOperationException {
        super.start(topics, existing);
        ends.clear();
        ends.add(0);
        reader = null;
    }

    /** What was appended since the last time is one write. */
    public void endWrite() {
        ends.add(around.log.size());
    }

    /** The group, which has no members, is deleted. */
    public void delete() {
        List<CoordinatorRecord> records = new ArrayList<>();
        around.manager().maybeDeleteGroup(GROUP, records);
        records.forEach(around::append);
    }

    /** The coordinator that reads the log; as long as it has read nothing, it knows no group. */
    public MigrationDoor reader(int topics, long existing) throws ReflectiveOperationException {
        reader = new MigrationDoor();
        reader.start(topics, existing);
        reader.ids.putAll(ids);
        return reader;
    }

    /** The second coordinator reads a write; null, or why that fails. The cleaner has got to the end of `cleanedTo` - 1. */
    public String read(int write, int cleanedTo) {
        List<CoordinatorRecord> records = around.log.subList(ends.get(write - 1), ends.get(write));
        Set<Object> later = new HashSet<>();
        if (cleanedTo - 1 > write) {
            for (CoordinatorRecord each : around.log.subList(ends.get(write), ends.get(cleanedTo - 1))) {
                later.add(Members.call(each, "key"));
            }
        }
        try {
            for (CoordinatorRecord each : records) {
                if (!later.contains(Members.call(each, "key"))) reader.around.replay(each);
            }
            return null;
        } catch (IllegalStateException error) {
            return error.getMessage();
        }
    }

    /** The members that have a target. */
    public long targets() {
        long found = 0;
        if (reader.known() == null) return found;
        for (Object each : reader.known().targetAssignment().keySet()) found |= 1L << reader.placeOf((String) each);
        return found;
    }
}
