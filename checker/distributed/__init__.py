"""A search on Spark: shards, and the messages between them."""
