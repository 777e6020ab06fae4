"""Batches for which the broker no longer has a state of the producer."""
