"""Does a group's new coordinator know the committed offsets, and the offsets of open transactions?

It reads them from the offsets partition while markers are written there; requests have to wait. Then transactions end,
and each is committed as a whole with its offsets, as if the coordinator had never changed.

Bounds: two inputs; a client with two transactions, and a consumer that does not write; two rebalances; one change of
    the group's coordinator, at any time; one marker that the coordinator applies later, or never, so that the marker is
    written again; room for seven batches. Coordinators and leaders are fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import clients, coordinators, environment, family, starts
from kafkacheck.spec.transactions import offsets, properties, steps

LOADING = (coordinators.group_coordinator_reads_record, coordinators.group_coordinator_ends_loading)

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group_with_consumer,
    bounds={
        "clients": 2,
        "transactional_ids": 2,
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "requests": 2,
        "produces": 2,
        "inputs": 2,
        "max_processed": 2,
        "max_generation": 2,
        "rebalances": 2,
        "log_size": 7,
        "max_verification_guard": 7,
        "group_delays": 1,
        "group_failovers": 1,
    },
    actions=[
        *family.CONSUME_PRODUCE,
        *family.TIMEOUTS,
        *LOADING,
        clients.application_processes,
        clients.consumer_commits_offset,
        coordinators.group_coordinator_follows_marker,
        environment.group_coordinator_is_replaced,
        environment.group_coordinator_lags,
    ],
    always=[
        offsets.offsets_match_log,
        steps.committed_offset_does_not_fall,
        offsets.requests_await_loading,
        offsets.only_new_coordinators_read,
        *family.SAFETY,
    ],
    sometimes=[*family.EXAMPLES, offsets.loaded_pending_offset, offsets.marker_while_loading],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[
        *(
            each(action)
            for action in (
                *family.COORDINATOR,
                *family.LEADER,
                *family.TIMEOUTS,
                coordinators.group_coordinator_follows_marker,
            )
        ),
        *LOADING,
    ],
)
