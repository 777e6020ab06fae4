"""What brokers keep on their disks: logs that are lost, flushed, deleted or of an old format, and their files."""
