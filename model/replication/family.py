"""Common parts of the models of the five generations of the replication protocol: all but rules and bounds.

Bounds, named as in the public specification: `replicas` brokers hold the partition; a log has room for `log_size`
records; producers write `max_records` records in all; leader epochs run from 0 to `max_leader_epoch`. The last three
only end behaviours: a behaviour that is possible at small ones is possible at larger ones.
"""

from kafkacheck.checker.model import Family
from kafkacheck.model.replication.drawing import REPLICATION_LANES
from kafkacheck.model.replication.system import (
    State,
    become_follower,
    become_leader,
    controller_elect_leader,
    controller_shrink_isr,
    follower_replicate,
    leader_expand_isr,
    leader_inc_high_watermark,
    leader_shrink_isr,
    leader_write,
    start_partition,
)
from kafkacheck.spec.replication.lemmas import (
    committed_records_on_isr,
    committed_records_on_requested_isr,
    current_isr,
    epochs_never_fall,
    established_high_watermark,
    follower_prefix,
    fresh_replicas,
    joined_isr_in_epoch,
    leader_appends_only,
    leader_enters_first,
    leader_in_isr,
    log_matching,
    newest_request,
    next_isr,
    obeyed_requests,
    one_leader_per_epoch,
    only_newest_leader_changes_isr,
    sorted_epochs,
    unique_records,
    well_formed_logs,
    written_by_leader,
)
from kafkacheck.spec.replication.measures import isr_size, live_leaders
from kafkacheck.spec.replication.properties import (
    committed_record,
    committed_without_all,
    deposed_leader,
    diverging_logs,
    expanded_isr,
    follower_of_first_epoch,
    shrunk_isr,
    strong_isr,
    weak_isr,
)
from kafkacheck.spec.replication.steps import (
    high_watermark_growth,
    isr_removal,
    leader_epoch_change,
    leader_removal,
    log_growth,
)

ACTIONS = (
    controller_elect_leader,
    controller_shrink_isr,
    become_leader,
    become_follower,
    leader_write,
    leader_inc_high_watermark,
    leader_shrink_isr,
    leader_expand_isr,
    follower_replicate,
)

ALWAYS = (weak_isr, strong_isr)

LEMMAS = (
    well_formed_logs,
    newest_request,
    fresh_replicas,
    obeyed_requests,
    one_leader_per_epoch,
    leader_enters_first,
    leader_in_isr,
    current_isr,
    next_isr,
    joined_isr_in_epoch,
    sorted_epochs,
    log_matching,
    unique_records,
    written_by_leader,
    follower_prefix,
    established_high_watermark,
    committed_records_on_isr,
    committed_records_on_requested_isr,
    epochs_never_fall,
    leader_appends_only,
    only_newest_leader_changes_isr,
    leader_epoch_change,
    leader_removal,
    isr_removal,
    log_growth,
    high_watermark_growth,
)
"""Why `ALWAYS` holds under the rules of KIP-320; a lemma that fails under other rules shows their gap."""

SOMETIMES = (committed_record, committed_without_all, shrunk_isr, expanded_isr, deposed_leader, follower_of_first_epoch)
"""Examples that every generation must reach, even with one record."""

SOMETIMES_WITH_TWO_RECORDS = (*SOMETIMES, diverging_logs)

MEASURES = (isr_size, live_leaders)
"""The measures by which the states of a state graph are counted."""

REPLICATION = Family(
    state=State, initial=start_partition, bounds={}, lemmas=LEMMAS, measures=MEASURES, drawing=REPLICATION_LANES
)
"""The abstract partition, as each generation of the protocol has it."""
