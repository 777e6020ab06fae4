"""Does a read_committed consumer get only committed records, and does the last stable offset never fall?

Bounds: two transactions of one producer in one partition; its high watermark lags, and another broker comes to lead it;
    one entry of the aborted-transaction index that cannot be written.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.clients import consumer_reads
from kafkacheck.model.transactions.environment import index_fails, partition_is_reloaded
from kafkacheck.model.transactions.partitions import partition_replicates
from kafkacheck.spec.transactions.properties import delivered_record

MODEL = family.TRANSACTIONAL.model(
    bounds={"moves": 1, "io_errors": 1},
    rules=TransactionRules(leader_is_alone=False),
    actions=[*family.TRANSACTIONS, partition_replicates, consumer_reads, index_fails, partition_is_reloaded],
    always=[*family.READER_SAFETY, *family.TRANSITIONS],
    lemmas=family.READER_LEMMAS,
    sometimes=[*family.EXAMPLES, delivered_record],
)
