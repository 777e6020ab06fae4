"""Questions for Z3: terms, obligations, and the proofs and bounded searches made of them."""
