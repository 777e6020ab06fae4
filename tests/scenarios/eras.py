"""The rules of the releases that the documents speak of: those of the ZooKeeper era, before later KIPs mended them."""

from kafkacheck.impl.enums import FetchFencing, Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules

KAFKA_0_10 = ClusterRules(
    propagation=Propagation.LEADER_AND_ISR,
    truncation=TruncationRule.HIGH_WATERMARK,
    fetch_fencing=FetchFencing.NONE,
    isr_names_broker_epochs=False,
    isr_excludes_inactive=False,
    request_names_broker_epoch=False,
    bounce_is_noticed=False,
)
KAFKA_0_11 = KAFKA_0_10._replace(truncation=TruncationRule.KIP_101)
KAFKA_2_0 = KAFKA_0_10._replace(truncation=TruncationRule.KIP_279)
