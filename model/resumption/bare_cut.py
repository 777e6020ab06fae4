"""Does the next consumer notice that records were cut, if the committed offset has no leader epoch?

Bounds: as resumption.
Expected: VIOLATED records_are_of_one_history: KAFKA-20507. The position cannot be validated, and the consumer reads on
    behind records of the new history that it has never seen.
"""

from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, family, system
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1},
    rules=ResumptionRules(commits_name_epoch=False),
    actions=[*family.ACTIONS, environment.unclean_leader_is_elected, system.consumer_is_out_of_range],
    always=[properties.records_are_of_one_history, properties.consumers_go_back_for_a_reason],
)
