"""What is kept of a search on disk, so that it can go on."""
