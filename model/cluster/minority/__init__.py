"""A minority of the brokers that is down for good."""
