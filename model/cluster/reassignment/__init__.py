"""Partitions that move to other brokers."""
