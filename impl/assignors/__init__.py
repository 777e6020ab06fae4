"""Which member of a consumer group gets which partition: Kafka's assignors, as functions.

Part of Kafka modelled: the assignors of consumers (`org.apache.kafka.clients.consumer`) and those of the group
coordinator (`org.apache.kafka.coordinator.group.assignor`).
Source: apache/kafka (commit 1eb7644349); KIP-54, KIP-429, KIP-848, KIP-881.
Left out, and why that is sound: when an assignor is asked, which is the protocol's part. An assignor sees one group at
one moment, so each of them is one function of a group.

These modules are ordinary Python, beside the plain subset: an assignor is called with a whole group and has no
schedules that a checker could search.
"""
