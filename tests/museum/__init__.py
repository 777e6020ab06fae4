"""Kafka's known bugs, each found with its rule as it was and gone with the rule as it is."""
