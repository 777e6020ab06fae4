"""A search on Spark: shards, the blocks that travel between them, and the run directory that keeps them."""
