"""The benchmark: `python -m tests.bench` measures this checker and, where they are installed, others beside it."""
