"""Models of groups whose consumers go from the classic protocol to the new one, or back."""
