"""A reassignment that replaces another one under way."""
