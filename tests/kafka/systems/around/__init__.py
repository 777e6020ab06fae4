"""What surrounds the classes of Kafka when a system drives them."""
