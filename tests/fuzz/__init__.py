"""Random programs in all readings, again and again: `python -m tests.fuzz`."""
