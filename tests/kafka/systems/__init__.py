"""Drivers of Kafka's classes: systems beside which `kafkacheck conform` runs models."""
