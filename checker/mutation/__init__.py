"""Models with one condition removed, and whether anything notices."""
