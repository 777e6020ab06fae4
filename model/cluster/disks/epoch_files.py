"""Does a broker know its records' epochs after a power loss between a truncation and the next write?

A broker writes its leader-epoch file at once when an epoch begins, and in the background after a truncation. After a
crash it reads the file from the disk, and takes epochs again only from records that may not have been flushed.

Bounds: two replicas and one record; a move to each broker, so that one of them truncates an epoch that it began itself;
    one power loss. Truncated epochs come back only if a record of an older epoch takes their place, which takes two
    records: `cluster.stale_epochs`.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, environment, family
from kafkacheck.spec.cluster import files, properties

MODEL = family.CLUSTER.model(
    bounds={"epoch_files": 1, "max_leader_epoch": 3, "power_losses": 1, "moves": 2},
    actions=[
        *family.REPLICATION,
        brokers.broker_replays_metadata,
        *family.FAILURES,
        brokers.broker_flushes,
        brokers.broker_writes_epoch_file,
        environment.power_fails,
        environment.leadership_is_moved,
    ],
    always=[properties.logs_agree_below_high_watermark, files.late_writes_are_due, *family.LOGS_AGREE],
    sometimes=[*family.EXAMPLES, files.unflushed_survivor],
)
