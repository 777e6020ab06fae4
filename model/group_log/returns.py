"""How can a log no longer be read because a member has come back while it was compacted (F21)?

By the rules of Kafka 4.4 a record of a member's subscription notes anew what the member owns. If its tombstones were
removed, that is what it owned before it left, and another member owns it by now.

Bounds: those of group_log.compacted.
Expected: VIOLATED groups_can_be_read
"""

from kafkacheck.model.group_log import family

MODEL = family.GROUP_LOG.model(rules=family.MENDED._replace(owners_are_found_last=False))
