"""Searches of all states: their counts, verdicts and limits, and the interpreted reading."""
