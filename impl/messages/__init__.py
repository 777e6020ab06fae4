"""Requests and responses between clients and brokers: one file for each API, or for APIs that share a slot.

Part of Kafka modelled: `clients/src/main/resources/common/message`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: fields that no rule reads, and versions of a request that differ only in them.
"""
