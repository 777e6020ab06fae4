"""The offsets of consumer groups inside and beside transactions."""
