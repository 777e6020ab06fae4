"""Eligible leader replicas (KIP-966)."""
