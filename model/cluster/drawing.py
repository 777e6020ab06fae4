"""How behaviours of the message-level cluster are drawn: the controller, the consumer and each broker as a lane."""

from typing import Any

from kafkacheck.checker.drawing import Band, Cells, Event, ExtraLane, Lanes

NOW = "controller.history[controller.offset]"

BROKER_EVENTS = {
    "broker_replays_metadata": Event(
        at="controller",
        to="broker_id",
        text="metadata {brokers[broker_id].metadata_offset}: epoch {brokers[broker_id].leader_epoch}, "
        "leader {brokers[broker_id].leader}",
    ),
    "broker_replays_delta": Event(
        at="controller",
        to="broker_id",
        text="metadata up to {offset} as one change: epoch {brokers[broker_id].leader_epoch}, "
        "leader {brokers[broker_id].leader}",
    ),
    "broker_obeys_leader_and_isr": Event(
        at="controller",
        to="broker_id",
        text="LeaderAndIsr epoch {brokers[broker_id].leader_epoch}: leader {brokers[broker_id].leader}",
    ),
    "broker_obeys_new_controller": Event(
        at="controller",
        to="broker_id",
        text="controller epoch {controller.epoch}: epoch {brokers[broker_id].leader_epoch}",
    ),
    "broker_obeys_stop_replica": Event(at="controller", to="broker_id", text="StopReplica: deletes its log"),
    "broker_checkpoints_high_watermark": Event(
        at="broker_id", text="checkpoints high watermark {brokers[broker_id].high_watermark_checkpoint}"
    ),
    "broker_writes_epoch_file": Event(at="broker_id", text="writes its leader-epoch file"),
    "broker_learns_epoch": Event(at="broker_id", text="learns broker epoch {brokers[broker_id].broker_epoch}"),
    "broker_flushes": Event(at="broker_id", text="flushes its log"),
    "broker_starts": Event(
        at="broker_id", to="controller", text="starts, broker epoch {brokers[broker_id].broker_epoch}"
    ),
    "broker_starts_unfenced": Event(
        at="broker_id",
        to="controller",
        text="starts, broker epoch {brokers[broker_id].broker_epoch}; leader {new_leader}",
    ),
    "broker_stops": Event(at="broker_id", text="stops cleanly"),
}

REPLICATION_EVENTS = {
    "leader_appends": Event(at="leader_id", text="appends r{before.producers.next_record}"),
    "leader_deletes_records": Event(at="leader_id", text="deletes records below {start_offset}"),
    "follower_sends_fetch": Event(
        at="follower_id", to="brokers[follower_id].leader", text="fetches from {fetches[follower_id].offset}", asks=True
    ),
    "leader_answers_fetch": Event(
        at="before.fetches[follower_id].leader", text="answers the fetch of broker {follower_id}"
    ),
    "leader_reads_old_fetch": Event(
        at="before.old_fetches[follower_id].leader", text="reads an old fetch of broker {follower_id}"
    ),
    "leader_counts_old_fetch": Event(
        at="before.old_fetches[follower_id].leader", text="counts an old fetch of broker {follower_id}"
    ),
    "follower_uses_fetch": Event(
        at="before.fetches[follower_id].leader",
        to="follower_id",
        text="record {before.fetches[follower_id].record}, high watermark {before.fetches[follower_id].high_watermark}",
    ),
    "follower_asks_epoch_end": Event(
        at="follower_id",
        to="brokers[follower_id].leader",
        text="where does epoch {fetches[follower_id].asked_epoch} end?",
        asks=True,
    ),
    "leader_answers_epoch_end": Event(
        at="before.fetches[follower_id].leader", text="looks up the epoch's end for broker {follower_id}"
    ),
    "follower_truncates": Event(
        at="before.fetches[follower_id].leader",
        to="follower_id",
        text="epoch {before.fetches[follower_id].diverging_epoch} ends at {before.fetches[follower_id].end_offset}",
    ),
    "leader_proposes_shrink": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "follower_lags": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "leader_misses_dead_follower": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "leader_proposes_expansion": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "living_follower_joins": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "leader_ends_recovery": Event(at="leader_id", to="controller", text="has recovered", asks=True),
    "leader_finds_caught_up": Event(at="leader_id", text="finds broker {follower_id} caught up"),
    "leader_proposes_caught_up": Event(
        at="leader_id", to="controller", text="proposes ISR {alter_partitions[leader_id].isr}", asks=True
    ),
    "controller_alters_partition": Event(
        at="controller", text="answers {alter_partitions[leader_id].error}: ISR {" + NOW + ".isr}"
    ),
    "zombie_answers_alter_partition": Event(
        at="controller", text="the old controller answers {alter_partitions[leader_id].error}"
    ),
    "leader_learns_of_change": Event(at="controller", to="leader_id", text="ISR {brokers[leader_id].isr}"),
}

CONTROLLER_EVENTS = {
    "controller_fences_broker": Event(
        at="controller", text="fences broker {broker_id}: epoch {" + NOW + ".leader_epoch}, leader {" + NOW + ".leader}"
    ),
    "controller_unfences_broker": Event(at="controller", text="unfences broker {broker_id}"),
    "controller_creates_partition": Event(at="controller", text="creates the partition: leader {" + NOW + ".leader}"),
    "controller_elects_first_leader": Event(at="controller", text="brings it online: leader {new_leader}"),
    "topic_deletion_is_asked": Event(at="controller", text="begins to delete topic {before." + NOW + ".topic_id}"),
    "controller_ends_deletion": Event(at="controller", text="topic {before." + NOW + ".topic_id} is gone"),
    "controller_resumes_deletion": Event(at="controller", text="asks anew to delete topic {" + NOW + ".topic_id}"),
    "zombie_ends_deletion": Event(
        at="controller", text="the old controller removes topic {before." + NOW + ".topic_id}"
    ),
    "controller_elects_uncleanly": Event(
        at="controller", to="new_leader", text="elects broker {new_leader} uncleanly", asks=True
    ),
    "controller_is_replaced": Event(at="controller", text="controller epoch {controller.epoch} begins"),
    "zombie_elects_leader": Event(
        at="controller", text="the old controller writes an election: epoch {" + NOW + ".leader_epoch}"
    ),
    "leadership_is_moved": Event(
        at="controller", to="new_leader", text="elects broker {new_leader}, epoch {" + NOW + ".leader_epoch}", asks=True
    ),
    "reassignment_is_asked": Event(at="controller", text="reassigns the partition to {target}"),
    "reassignment_is_replaced": Event(at="controller", text="reassigns the partition to {target} instead"),
    "reassignment_is_cancelled": Event(
        at="controller", text="cancels the reassignment: replicas {" + NOW + ".replicas}, leader {" + NOW + ".leader}"
    ),
    "controller_ends_reassignment": Event(
        at="controller", text="ends the reassignment: replicas {" + NOW + ".replicas}"
    ),
    "min_isr_is_lowered": Event(at="controller", text="lowers min.insync.replicas"),
    "min_isr_is_raised": Event(at="controller", text="raises min.insync.replicas"),
    "session_expires": Event(
        at="controller",
        text="session of broker {broker_id} expires: epoch {" + NOW + ".leader_epoch}, leader {" + NOW + ".leader}",
    ),
    "shutdown_is_asked": Event(at="broker_id", to="controller", text="asks for its shutdown"),
}

WORLD_EVENTS = {
    "process_crashes": Event(at="broker_id", text="crashes"),
    "power_fails": Event(at="broker_id", text="loses power, keeps {end_offset} records"),
    "disk_is_replaced": Event(at="broker_id", text="stops; its disk is replaced"),
    "disk_fails": Event(at="broker_id", text="stops; its disk has failed"),
    "fetch_is_lost": Event(at="follower_id", text="its fetch or the answer is lost"),
    "fetch_connection_breaks": Event(at="follower_id", text="its connection breaks; the leader still has its fetch"),
    "isr_answer_is_lost": Event(at="leader_id", text="the answer to its ISR change is lost; it asks again"),
    "consumer_learns_leader": Event(
        at="broker_id", to="consumer", text="leader {consumer.leader}, epoch {consumer.leader_epoch}"
    ),
    "consumer_learns_told_leader": Event(
        at="controller", to="consumer", text="leader {consumer.leader}, epoch {consumer.leader_epoch}"
    ),
    "consumer_validates_position": Event(at="consumer.leader", to="consumer", text="validates its position"),
    "consumer_reads": Event(at="consumer.leader", to="consumer", text="reads at {before.consumer.position}"),
    "consumer_reads_from_follower": Event(
        at="follower_id", to="consumer", text="reads at {before.consumer.position} from a follower"
    ),
    "leader_names_read_replica": Event(
        at="consumer.leader", to="consumer", text="read from broker {consumer.read_replica}"
    ),
    "consumer_reads_from_read_replica": Event(
        at="consumer.read_replica", to="consumer", text="reads at {before.consumer.position} from its read replica"
    ),
    "consumer_is_refused": Event(
        at="before.consumer.read_replica", to="consumer", text="refuses to be read at {before.consumer.position}"
    ),
    "consumer_finds_replica_offline": Event(
        at="broker_id", to="consumer", text="broker {before.consumer.read_replica} is offline"
    ),
    "consumer_ends_lease": Event(at="consumer", text="its lease of broker {before.consumer.read_replica} ends"),
    "consumer_asks_latest_offset": Event(
        at="consumer.leader", to="consumer", text="latest offset {consumer.told_offset}"
    ),
    "leader_limits_read": Event(at="consumer.leader", text="a read may go to {consumer.read_limit}"),
    "leader_ends_read": Event(at="consumer.leader", to="consumer", text="reads at {before.consumer.position}"),
}

CONTROLLER_LANE = ExtraLane(
    name="controller",
    record="controller",
    text="epoch {" + NOW + ".leader_epoch}  leader {" + NOW + ".leader}  ISR {" + NOW + ".isr}  ELR {" + NOW + ".elr}",
)

CONSUMER_LANE = ExtraLane(
    name="consumer", record="consumer", text="position {consumer.position}  latest {consumer.told_offset}"
)


COMMON: dict[str, Any] = {
    "array": "brokers",
    "title": "broker {lane}",
    "text": "HW {high_watermark}  epoch {leader_epoch}  leader {leader}  ISR {isr}  pending {pending_isr}",
    "cells": Cells(
        items="log.records",
        length="log.end_offset",
        text="r{id} e{epoch}",
        marker="high_watermark",
        shaded="committed",
        cut="truncates away",
    ),
    "band": Band(holder="leader", text="leads, epoch {leader_epoch}", colour="leader_epoch"),
    "events": BROKER_EVENTS | REPLICATION_EVENTS | CONTROLLER_EVENTS | WORLD_EVENTS,
    "suspects": ("leader_id", "replica_id", "other_id", "broker_id"),
    "place": "offset",
    "legend": (
        "r0 e1: record 0, first appended in leader epoch 1. Black bar: the high watermark; the green records below it "
        "are what the broker holds committed. Coloured line: the broker believes that it leads.",
        "Dashed arrow: a request is sent; the answer comes later or never. Red x: records are truncated; solid red: "
        "although the broker has them as committed.",
    ),
}

CLUSTER_LANES = Lanes(extra=(CONTROLLER_LANE,), **COMMON)

CLUSTER_AND_CONSUMER_LANES = Lanes(extra=(CONTROLLER_LANE, CONSUMER_LANE), **COMMON)
