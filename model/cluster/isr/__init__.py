"""The replicas that may join the ISR, and the size that it must have."""
