"""Elections of a leader from outside of the ISR."""
