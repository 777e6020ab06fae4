"""Drivers of Kafka's classes: systems that `kafkacheck conform` holds against models, and what surrounds the classes."""
