"""Does a transaction commit as a whole with its offsets, even if the group's coordinator applies markers late?

Bounds: two inputs and one client with two transactions; one marker that the group's coordinator applies later.
    Coordinators and leaders are fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.coordinators import group_coordinator_follows_marker
from kafkacheck.model.transactions.environment import group_coordinator_lags
from kafkacheck.model.transactions.starts import start_group
from kafkacheck.spec.transactions.properties import nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    initial=start_group,
    bounds={
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "inputs": 2,
        "max_generation": 1,
        "rebalances": 1,
        "group_delays": 1,
    },
    actions=[*family.CONSUME_PRODUCE, *family.TIMEOUTS, group_coordinator_lags, group_coordinator_follows_marker],
    always=[*family.SAFETY, *family.GROUP_SAFETY],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[
        each(action)
        for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS, group_coordinator_follows_marker)
    ],
)
