"""One partition of a cluster, message by message: a controller, brokers, a producer and a consumer."""
