"""A search on Spark: shards, and what travels between them."""
