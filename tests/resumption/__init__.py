"""Tests of resumption."""
