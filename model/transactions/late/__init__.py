"""Requests and markers that arrive late."""
