"""The group coordinator of the consumer protocol (KIP-848): members, target assignment and reconciliation."""
