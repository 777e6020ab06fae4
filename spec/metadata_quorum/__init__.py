"""What the metadata quorum promises.

Part of Kafka judged: `KafkaRaftClient`.
Source: KIP-595.
Left out, and why that is sound: what the records mean, which `spec/cluster` judges.
"""
