"""A producer that has used up its epochs."""
