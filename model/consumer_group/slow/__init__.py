"""Consumer groups with members whose applications poll too seldom."""
