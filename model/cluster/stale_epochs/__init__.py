"""Epochs that a broker truncated, and that its disk still has."""
