"""Is it safe for a leader to compute the last stable offset first, and to read a moment later?

Bounds: two transactions of one producer in one partition whose high watermark lags.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import leader_ends_read, leader_limits_read
from kafkacheck.model.transactions.family import (
    EXAMPLES,
    READER_LEMMAS,
    READER_SAFETY,
    TRANSACTIONAL,
    TRANSACTIONS,
    TRANSITIONS,
)
from kafkacheck.model.transactions.partitions import partition_replicates
from kafkacheck.spec.transactions.properties import delivered_record

MODEL = TRANSACTIONAL.model(
    rules=TransactionRules(leader_is_alone=False),
    actions=[*TRANSACTIONS, partition_replicates, leader_limits_read, leader_ends_read],
    always=[*READER_SAFETY, *TRANSITIONS],
    lemmas=READER_LEMMAS,
    sometimes=[*EXAMPLES, delivered_record],
)
