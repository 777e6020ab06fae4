"""An explicit-state model checker for systems written as plain Python functions over records of small integers."""
