"""Can a coordinator read a group that was deleted and has begun anew, with its first epoch?

Bounds: those of group_log.compacted; one of the writes is the deletion.
Expected: HOLDS
"""

from kafkacheck.model.group_log import family, system

MODEL = family.GROUP_LOG.model(actions=[*family.ACTIONS, system.group_is_deleted])
