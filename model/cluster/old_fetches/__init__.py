"""Fetch requests that are late and arrive after newer ones."""
