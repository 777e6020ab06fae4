"""Consumer groups by the new protocol (KIP-848): members, target assignment, reconciliation, and who owns what."""
