"""The properties of `min.insync.replicas` and of eligible leader replicas (KIP-966).

Part of Kafka judged: `impl/controller` and the leader's appends, by their records before and after a step.
Source: KIP-966; `PartitionChangeBuilder`; the configuration `min.insync.replicas`.
Left out, and why that is sound: whether an elected leader has every acknowledged record;
    `spec/cluster/properties.py` judges that.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import Acks
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def starts_uncleanly(before: State, after: State, broker_id: int) -> bool:
    """Whether a step registers a broker that did not stop cleanly, so that it may have lost records."""
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    is_registered = was.broker_epochs[broker_id] != now.broker_epochs[broker_id]
    return is_registered and not before.brokers[broker_id].is_stopped_cleanly


def needed_replicas(metadata: Metadata, rules: ClusterRules) -> int:
    """How many members the ISR must have, according to this version of the record."""
    return rules.min_insync_replicas - metadata.is_min_isr_lowered


def appends_need_enough_replicas(before: State, after: State, rules: ClusterRules) -> bool:
    """With acks=all a leader appends nothing while its ISR is smaller than min.insync.replicas.

    Lost if it fails: the producer gets NOT_ENOUGH_REPLICAS_AFTER_APPEND instead and sends the record again, so that the
    log has it twice.
    Source: `Partition.appendRecordsToLeader`, NOT_ENOUGH_REPLICAS.
    """
    if rules.acks != Acks.ALL or before.producers.next_record == after.producers.next_record:
        return True
    return all(
        len(leader.isr)
        >= min(
            needed_replicas(before.controller.history[leader.metadata_offset], rules),
            len(before.controller.history[leader.metadata_offset].replicas),
        )
        for leader_id, leader in enumerate(before.brokers)
        if leader.leader == leader_id and after.brokers[leader_id].log.end_offset > leader.log.end_offset
    )


def leavers_stay_eligible(before: State, after: State, rules: ClusterRules) -> bool:
    """A change that leaves the ISR below min.insync.replicas keeps every member of ISR and ELR in one of the two.

    So all of them may still be elected. Exceptions: a broker registers after an unclean stop, the topic is deleted, or
    min.insync.replicas changes.

    Lost if it fails: the partition stays offline although a replica with every acknowledged record exists.
    Source: KIP-966; `PartitionChangeBuilder.maybePopulateTargetElr`.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if not rules.eligible_leader_replicas or len(now.isr) >= needed_replicas(now, rules):
        return True
    if was.is_min_isr_lowered != now.is_min_isr_lowered:
        return True
    if now.topic_id != was.topic_id:
        return True
    return all(starts_uncleanly(before, after, broker_id) for broker_id in (was.isr | was.elr) - (now.isr | now.elr))


def last_known_leader_led_last(before: State, after: State) -> bool:
    """The last known leader is the broker that led when the ISR became empty, kept while the ISR is empty.

    Lost if it fails: a broker leads although it lacks records that were acknowledged after it had led.
    Source: KIP-966 (`lastKnownElr`); `PartitionChangeBuilder`.
    """
    known = after.controller.last_known_leader
    if known == NO_LEADER:
        return True
    if after.controller.history[after.controller.offset].isr != Ids():
        return False
    return known == before.controller.last_known_leader or (
        known == before.controller.history[before.controller.offset].leader
    )


def only_unclean_leaders_recover(before: State, after: State) -> bool:
    """A leader from ISR or ELR need not recover, unless its broker registers after an unclean stop.

    Lost if it fails: a leader with every acknowledged record stays alone in the ISR until it declares that it has
    recovered, and the count of unclean elections shows losses that did not happen.
    Source: `PartitionChangeBuilder`, `ReplicationControlManager.electionWasClean`; KIP-704, KAFKA-18940.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if was.is_recovering or not now.is_recovering or now.leader == NO_LEADER:
        return True
    return now.leader not in was.isr | was.elr or starts_uncleanly(before, after, now.leader)


def last_known_leader_is_last_resort(before: State, after: State, rules: ClusterRules) -> bool:
    """An elected leader was in ISR or ELR, if any broker was.

    A broker that registers with this change after an unclean stop does not count. The last known leader is elected only
    if no other broker was in ISR or ELR.

    Lost if it fails: acknowledged records, although a replica that has them may be elected as soon as it is back.
    Source: KIP-966; `PartitionChangeBuilder.electLeader`, `canElectLastKnownLeader`.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if now.leader == NO_LEADER or now.leader == was.leader or rules.unclean_election:
        return True
    candidates = was.isr | was.elr
    for broker_id in range(len(before.brokers)):
        if starts_uncleanly(before, after, broker_id):
            candidates -= {broker_id}
    return candidates == Ids() or now.leader in candidates
