"""Consume and produce without transactions, with offsets committed afterwards."""
