"""What does the last member of the ISR do if the disk with its log fails?

Bounds: two replicas and one record; one session expires, so that the other broker leaves the ISR; one disk fails. The
    leader does not change the ISR.
Expected: HOLDS
"""

from kafkacheck.model.cluster import environment, family

MODEL = family.CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 5, "disk_losses": 1, "expirations": 1},
    actions=[*family.REPLICATION, *family.KRAFT, environment.disk_fails, environment.session_expires],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
)
