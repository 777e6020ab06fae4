"""What Kafka's documentation and its readers tell of replication, as scripts of steps with the states expected."""
