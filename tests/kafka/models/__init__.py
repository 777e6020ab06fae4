"""Closed systems over the functions of `impl/` that send a class of Kafka arbitrary requests."""
