"""Transactions: coordinators, markers, read_committed consumers and the offsets of groups."""
