"""Behaviours: as calls of the plain functions, saved, replayed, and exported."""
