"""Tests of where things are."""
