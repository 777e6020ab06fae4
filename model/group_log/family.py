"""Common parts of the models of a group's log.

Bounds: `members` consumers of the new protocol, of which the first may be in a classic group before; `partitions`
partitions; at most `log_writes` writes. Group epochs and generations run to bounds that so few writes do not reach.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.consumer_group.loading import GroupLogRules
from kafkacheck.model.group_log import environment, system
from kafkacheck.model.group_log.drawing import GROUP_LOGS
from kafkacheck.spec.group_log import properties

READING = (system.log_is_cleaned, system.coordinator_changes, system.coordinator_reads_write)

ACTIONS = (system.consumer_joins, system.consumer_acknowledges, system.consumer_leaves, *READING)

MENDED = GroupLogRules(owners_are_found_last=True, classic_group_may_remain=True)
"""The rules with the fixes of what other models show: F21, and KAFKA-21117."""

GROUP_LOG = Family(
    state=system.State,
    initial=environment.start_without_a_group,
    bounds={
        "members": 2,
        "member_ids": 2,
        "classic_consumers": 1,
        "instances": 1,
        "topics": 1,
        "partitions": 1,
        "max_group_epoch": 7,
        "max_generation": 7,
        "log_writes": 5,
    },
    rules=MENDED,
    at_least={"members": "classic_consumers", "member_ids": "members"},
    drawing=GROUP_LOGS,
    actions=ACTIONS,
    always=[
        properties.groups_can_be_read,
        properties.groups_are_read_as_they_were,
        properties.owners_are_read_as_they_were,
    ],
    sometimes=[properties.group_was_read, properties.reading_has_missed_a_record],
    leads_to=[(properties.reading_has_begun, properties.reading_has_ended)],
    weakly_fair=[system.coordinator_reads_write],
)
