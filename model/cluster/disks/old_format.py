"""Do followers keep committed records if records carry no leader epochs (message formats 0 and 1)?

Without epochs no broker knows where a log comes from, so followers truncate to the high watermark. That loses
acknowledged records after two leader changes (KIP-101); but no record may be lost sooner, and no follower may truncate
a committed record that its leader has.

Bounds: two replicas and two records, so that a log can have another record than the leader at the same offset; one
    move, because with a second one the rule itself loses records. KAFKA-7897 takes that second move, so its entry in
    the museum checks only the properties that still hold then.
Expected: HOLDS
"""

from kafkacheck.impl.enums import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, environment
from kafkacheck.model.cluster.family import CLUSTER, EPOCH_QUESTIONS, REPLICATION, SAFETY
from kafkacheck.spec.cluster import files, steps

OF_EPOCHS = (files.epoch_file_matches_log, files.only_followers_truncate)
"""Properties that cannot hold: the leader-epoch file does not match the log, and a follower asks without an epoch."""

MODEL = CLUSTER.model(
    initial=environment.start_in_sync_in_format,
    bounds={"max_records": 2, "max_leader_epoch": 1, "max_metadata_offset": 1, "max_broker_epoch": 0, "moves": 1},
    rules=ClusterRules(
        propagation=Propagation.LEADER_AND_ISR,
        truncation=TruncationRule.KIP_279,
        records_carry_epochs=False,
        undefined_epoch_is_not_asked_for=False,
    ),
    actions=[*REPLICATION, *EPOCH_QUESTIONS, brokers.broker_obeys_leader_and_isr, environment.leadership_is_moved],
    always=[*(each for each in SAFETY if each not in OF_EPOCHS), steps.shared_committed_records_are_kept],
)
