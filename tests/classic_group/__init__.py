"""Tests of consumer groups by the classic protocol."""
