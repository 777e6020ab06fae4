"""Five generations of the replication protocol, as the public TLA+ specification has them."""
