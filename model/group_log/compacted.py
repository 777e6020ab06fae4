"""Can a coordinator read a group from the log if the log is compacted meanwhile, and does it find the group as it was?

By the rules of Kafka 4.4 it cannot: group_log.returns.

Bounds: two consumers that join, leave and come back in five writes.
Expected: HOLDS
"""

from kafkacheck.model.group_log import family

MODEL = family.GROUP_LOG.model()
