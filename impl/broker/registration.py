"""How a broker of the ZooKeeper era learns its own broker epoch, which the controller may know earlier.

Part of Kafka modelled: `KafkaServer.startup` after `KafkaZkClient.registerBroker`; `KafkaApis.isBrokerEpochStale`.
Source: apache/kafka (commit 1eb7644349); KIP-380, KAFKA-9839.
Left out, and why that is sound: refused StopReplica and UpdateMetadata requests. The first reach a broker that has just
started, whose replica they would delete at the next start; the second name the live brokers to leaders, which may learn
them late. If the bound `late_registrations` is 0, a broker knows its epoch as soon as it has one.
"""

from kafkacheck.impl.broker.records import Broker, Registration
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.rules import ClusterRules


def end_registration(registration: Registration) -> None:
    """Forget the state that belongs to this start of the broker."""
    registration.is_unknown = 0
    registration.refused_offset = NO_OFFSET


def refuses_newer(broker: Broker, rules: ClusterRules) -> bool:
    """Whether a broker refuses a request with its new epoch, which it does not know yet (KAFKA-9839)."""
    return broker.registration.is_unknown == 1 and not rules.newer_broker_epoch_is_obeyed


def learn_broker_epoch(broker: Broker) -> bool:
    """Learn the broker epoch from ZooKeeper's answer to the registration (ZooKeeper era).

    Who: a broker that has started.
    When: it does not know its epoch yet.
    Effect: it knows its broker epoch.
    Source: KafkaServer.startup, KafkaZkClient.registerBroker.
    """
    if not broker.is_running or broker.registration.is_unknown == 0:
        return False
    broker.registration.is_unknown = 0
    return True
