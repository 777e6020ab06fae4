"""The messages between brokers, controller and clients: one file for each API.

Part of Kafka modelled: the schemas of requests, responses and records of the metadata log, as far as a rule reads them.
Source: apache/kafka (commit 1eb7644349), `clients/src/main/resources/common/message` and `metadata`.
Left out, and why that is sound: versions of a schema: a rule that a newer version brought is a switch in `impl.rules`.
"""
