"""Parts of one broker of a real Kafka, without a network: configuration, metadata cache, log manager and records."""

from typing import Any

from around.reflection import called, found, function, nothing, proxy
from jvm import java

CACHES = "kafka.server.metadata.KRaftMetadataCache", "org.apache.kafka.metadata.KRaftMetadataCache"
RECORDS = "org.apache.kafka.common.record", "org.apache.kafka.common.record.internal"


def config_of(node_id: int, folder: str, **settings: object) -> Any:
    """The configuration of a broker with its logs in a folder; `settings` have underscores in place of dots."""
    properties = java("java.util.Properties")()
    for key, value in {
        "process.roles": "broker",
        "node.id": node_id,
        "controller.quorum.voters": "3000@localhost:9093",
        "controller.listener.names": "CONTROLLER",
        "listeners": "PLAINTEXT://localhost:0",
        "advertised.listeners": "PLAINTEXT://localhost:9092",
        "log.dirs": folder,
        "log.cleaner.dedupe.buffer.size": 2_000_000,
        **{key.replace("_", "."): value for key, value in settings.items()},
    }.items():
        properties.put(key, str(value))
    return java("kafka.server.KafkaConfig").fromProps(properties)


def metadata_cache(node_id: int) -> Any:
    """The metadata cache of a broker."""
    version = java("org.apache.kafka.server.common.KRaftVersion").KRAFT_VERSION_1
    return found(*CACHES)(node_id, proxy("java.util.function.Supplier", get=lambda: version))


def shared_parts(config: Any, cache: Any, clock: Any, scheduler: Any) -> dict[str, Any]:
    """What the parts of a broker are made from, by type."""
    return {
        "KafkaConfig": config,
        "AbstractKafkaConfig": config,
        "Time": clock,
        "Scheduler": scheduler,
        "MetadataCache": cache,
        "ConfigRepository": cache,
        "LogDirFailureChannel": java("org.apache.kafka.storage.internals.log.LogDirFailureChannel")(1),
        "BrokerTopicStats": java("org.apache.kafka.storage.log.metrics.BrokerTopicStats")(),
        "Option": nothing(),
    }


def log_manager(shared: dict[str, Any]) -> Any:
    """The log manager of a broker."""
    return called(
        java("kafka.log.LogManager"),
        "apply",
        Seq=java("scala.collection.immutable.List").newBuilder().result(),
        Set=java("java.util.HashSet")(),
        boolean=True,
        **shared,
    )


def load_logs(logs: Any) -> None:
    """Let a log manager load what is in its folder, as when a broker starts."""
    try:
        logs.startup(java("java.util.HashSet")())
    except TypeError:  # in some releases it is written in Scala
        logs.startup(java("scala.collection.mutable.HashSet")(), function(lambda log: False))


def end_at_once(logs: Any, log: Any) -> None:
    """Let a log manager with one log go without closing anything, as when the process of a broker crashes."""
    getattr(log, "closeHandlers", None or getattr(log, "closeQuietly", None))()
    logs.dirLocks().iterator().next().destroy()


def records_of(offset: int = 0, leader_epoch: int = 0, timestamp: int = 0, value: str = "") -> Any:
    """A batch of one record. A leader gives it another offset and epoch."""
    record = found(*(f"{each}.SimpleRecord" for each in RECORDS))(timestamp, java("java.lang.String")(value).getBytes())
    none = java("org.apache.kafka.common.compress.Compression").NONE
    epoch = java("java.lang.Integer")(leader_epoch)
    return found(*(f"{each}.MemoryRecords" for each in RECORDS)).withRecords(offset, none, epoch, [record])
