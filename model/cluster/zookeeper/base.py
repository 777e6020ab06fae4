"""Do acknowledged records survive if every request of the ZooKeeper era can be late, lost or overtaken?

The controller sends a LeaderAndIsr request to each broker; a broker may receive any of them at any later time, after
newer ones, or never. Followers send fetch requests, ask where their epoch ends (KIP-279), and carry their leader epoch
(KIP-320). Leaders are moved, and a broker's process crashes.

Bounds: two replicas and one record, because a lost record is lost from two logs; two moves, so that a follower can
    switch leaders twice; one crash. Each old rule of the museum fails within them, or within two records and three
    moves (KAFKA-7415). log_size=2 max_records=2 max_metadata_offset=4 was searched too: HOLDS.
Expected: HOLDS
"""

from kafkacheck.model.cluster import environment, family

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"max_metadata_offset": 3, "crashes": 1, "moves": 2},
    actions=[*family.ZOOKEEPER_ERA, environment.process_crashes, environment.leadership_is_moved],
    always=family.SAFETY,
    lemmas=family.LEMMAS,
)
