"""Who may join the ISR, and how large it must be."""
