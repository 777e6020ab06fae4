"""What must hold of consumer groups by the new protocol (KIP-848)."""
