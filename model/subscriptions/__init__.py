"""Models of groups whose members subscribe by patterns, while topics come and go."""
