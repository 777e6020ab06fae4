"""Deposed controllers that have not noticed."""
