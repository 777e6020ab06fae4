"""Findings about Kafka, each reproduced on its own classes."""
