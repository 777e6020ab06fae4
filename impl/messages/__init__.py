"""Requests and responses between clients and brokers: one file for each API, or for APIs that share a slot."""
