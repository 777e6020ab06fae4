"""From the typed form to terms that a solver can decide."""
