"""A partition's first leader, and partitions that are created while brokers are down."""
