"""Common parts of the models of the five generations of the replication protocol: all but rules and bounds.

Bounds, named as in the public specification: `replicas` brokers hold the partition; a log has room for `log_size`
records; producers write `max_records` records in all; leader epochs run from 0 to `max_leader_epoch`. The last three
only end behaviours: a behaviour that is possible at small bounds is possible at larger ones.
"""

from kafkacheck.checker.model import Family
from kafkacheck.model.replication import system
from kafkacheck.model.replication.drawing import REPLICATION_LANES
from kafkacheck.spec.replication import lemmas, measures, properties, steps

ACTIONS = (
    system.controller_elect_leader,
    system.controller_shrink_isr,
    system.become_leader,
    system.become_follower,
    system.leader_write,
    system.leader_inc_high_watermark,
    system.leader_shrink_isr,
    system.leader_expand_isr,
    system.follower_replicate,
)

ALWAYS = (properties.weak_isr, properties.strong_isr)

LEMMAS = (
    lemmas.well_formed_logs,
    lemmas.newest_request,
    lemmas.fresh_replicas,
    lemmas.obeyed_requests,
    lemmas.one_leader_per_epoch,
    lemmas.leader_enters_first,
    lemmas.leader_in_isr,
    lemmas.current_isr,
    lemmas.next_isr,
    lemmas.joined_isr_in_epoch,
    lemmas.sorted_epochs,
    lemmas.log_matching,
    lemmas.unique_records,
    lemmas.written_by_leader,
    lemmas.follower_prefix,
    lemmas.established_high_watermark,
    lemmas.committed_records_on_isr,
    lemmas.committed_records_on_requested_isr,
    lemmas.epochs_never_fall,
    lemmas.leader_appends_only,
    lemmas.only_newest_leader_changes_isr,
    steps.leader_epoch_change,
    steps.leader_removal,
    steps.isr_removal,
    steps.log_growth,
    steps.high_watermark_growth,
)
"""Why `ALWAYS` holds under the rules of KIP-320; a lemma that fails under other rules shows their gap."""

SOMETIMES = (
    properties.committed_record,
    properties.committed_without_all,
    properties.shrunk_isr,
    properties.expanded_isr,
    properties.deposed_leader,
    properties.follower_of_first_epoch,
)
"""Examples that every generation must reach, even with one record."""

SOMETIMES_WITH_TWO_RECORDS = (*SOMETIMES, properties.diverging_logs)

MEASURES = (measures.isr_size, measures.live_leaders)
"""The measures by which the states of a state graph are counted."""

REPLICATION = Family(
    state=system.State,
    initial=system.start_partition,
    bounds={},
    lemmas=LEMMAS,
    measures=MEASURES,
    drawing=REPLICATION_LANES,
)
"""The abstract partition, as each generation of the protocol has it."""
