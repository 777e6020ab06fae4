"""Can a coordinator read a group that goes from the classic protocol to the new one, and back?

Bounds: a classic group of one member, and two consumers of the new protocol; four more writes.
Expected: HOLDS
"""

from kafkacheck.model.group_log import environment, family, system

MODEL = family.GROUP_LOG.model(
    initial=environment.start_with_a_classic_group, actions=[*family.ACTIONS, system.session_ends]
)
