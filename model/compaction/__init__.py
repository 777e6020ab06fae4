"""Compacted partitions: the cleaner, tombstones, markers and producers' last batches."""
