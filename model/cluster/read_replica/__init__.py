"""Consumers that read from a follower (KIP-392)."""
