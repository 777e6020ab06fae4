"""Once disturbances stop, every live replica has the leader's log and is in the ISR."""
