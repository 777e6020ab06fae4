"""Elections of the last known leader (KIP-966)."""
