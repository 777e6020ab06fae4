"""A batch that expires before an earlier one does."""
