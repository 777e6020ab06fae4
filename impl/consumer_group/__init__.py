"""The group coordinator of the consumer protocol (KIP-848): members, target assignment and reconciliation.

Part of Kafka modelled: `GroupMetadataManager`, for consumer groups.
Source: the classes of 4.0.0 to 4.4.0; KIP-848.
Left out, and why that is sound: static members, regular expressions, racks, and groups that change their protocol. No
rule here reads them.
"""
