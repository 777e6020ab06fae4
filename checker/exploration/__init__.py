"""What a search of all states is, and the reading of plain Python."""
