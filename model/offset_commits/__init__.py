"""Committed offsets of several groups at their coordinator: commits, transactions, deletion, expiry, elections."""
