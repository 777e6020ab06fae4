"""A real system beside a model: the same schedule for both, and a comparison after each step."""
