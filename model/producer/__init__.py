"""The idempotent producer and the partitions that it writes to."""
