"""The rule by which a leader removes followers that lag."""
