"""A broker that loses its replica while it is an eligible leader replica."""
