"""The levels of a search on disk, from which it can go on."""
