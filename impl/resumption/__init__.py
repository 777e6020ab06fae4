"""Where the next consumer of a group goes on: positions with leader epochs, and committed offsets that carry them.

Part of Kafka modelled: `SubscriptionState`, `OffsetFetcherUtils`, `OffsetsForLeaderEpochUtils`, `ConsumerCoordinator`;
the committed offset of a group; a leader's answer to OffsetsForLeaderEpoch.
Source: apache/kafka (commit 1eb7644349); KIP-320.
Left out, and why that is sound: fetched records that wait, and commits under way, which `impl/delivery` has; how a
leader is elected, and which records its log has, which `impl/broker` and `impl/controller` have.
"""
