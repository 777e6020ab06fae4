"""The cluster in which the controller tells brokers by LeaderAndIsr requests."""
