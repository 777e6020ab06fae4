"""Is it safe for a leader to compute the last stable offset first, and to read a moment later?

Bounds: two transactions of one producer in one partition whose high watermark lags.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.clients import leader_ends_read, leader_limits_read
from kafkacheck.model.transactions.partitions import partition_replicates
from kafkacheck.spec.transactions.properties import delivered_record

MODEL = family.TRANSACTIONAL.model(
    rules=TransactionRules(leader_is_alone=False),
    actions=[*family.TRANSACTIONS, partition_replicates, leader_limits_read, leader_ends_read],
    always=[*family.READER_SAFETY, *family.TRANSITIONS],
    lemmas=family.READER_LEMMAS,
    sometimes=[*family.EXAMPLES, delivered_record],
)
