"""Models of a producer's partition whose replicas fail, forget, or are replaced."""
