"""The cluster whose controller informs brokers by LeaderAndIsr requests."""
