"""Brokers that start again before the controller has fenced their former process."""
