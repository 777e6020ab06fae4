"""Batches whose producer is unknown to the broker."""
