"""The assignors of impl/assignors/ beside those of Kafka."""
