"""Whether something good happens at last, under fairness."""
