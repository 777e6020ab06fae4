"""Resumption: where the next consumer goes on, and whether its position is still in the history of the partition."""
