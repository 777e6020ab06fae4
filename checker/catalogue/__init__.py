"""Finding models by name, and the museum of known bugs."""
