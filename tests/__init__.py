"""Tests of everything; CONTRIBUTING.md says how they are laid out."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the repository."""
