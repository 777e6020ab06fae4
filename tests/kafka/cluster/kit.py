"""A real cluster of Kafka in this process: brokers and controllers of `KafkaClusterTestKit`, and clients of it.

What a broker does in the background can be held back: its replay of metadata, its heartbeats, its fetches.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jpype
import jvm
from around.reflection import numbers_in
from jvm import int_list, java, listed

KIT = "org.apache.kafka.common.test"
CLIENTS = "org.apache.kafka.clients"
STRINGS = "org.apache.kafka.common.serialization.StringSerializer"
TOPIC = "t"
HEARTBEAT_MS, SESSION_MS, IDLE_MS = 200, 2_000, 300
FETCH_MS = 100
DEFAULTS = {
    "auto.leader.rebalance.enable": "false",
    "broker.heartbeat.interval.ms": str(HEARTBEAT_MS),
    "broker.session.timeout.ms": str(SESSION_MS),
    "metadata.max.idle.interval.ms": str(IDLE_MS),
    "replica.fetch.wait.max.ms": str(FETCH_MS),
}
PATIENCE = 20


def started(log: Path) -> None:
    """Start the JVM; `log` is the file for what the cluster logs."""
    settings = Path(__file__).resolve().with_name("log4j2.xml")
    jvm.started(f"-Dlog4j2.configurationFile={settings}", f"-Dkafkacheck.log={log}")


def until(what: str, holds: Callable[[], Any]) -> Any:
    """Wait until something holds; what it is then. TimeoutError if it takes too long."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        if time.monotonic() > end:
            raise TimeoutError(f"in {PATIENCE} s the cluster did not come so far that {what}; run it again when idle")
        time.sleep(0.02)
    return found


class Cluster:
    """A running cluster with a topic of one partition; `settings` are those of its nodes, by Kafka's names."""

    def __init__(self, brokers: int, controllers: int = 1, settings: dict[str, str] | None = None) -> None:
        release = java("org.apache.kafka.server.common.MetadataVersion").latestProduction()
        nodes = java(f"{KIT}.TestKitNodes$Builder")().setNumControllerNodes(controllers).setNumBrokerNodes(brokers)
        builder = java(f"{KIT}.KafkaClusterTestKit$Builder")(nodes.setBootstrapMetadataVersion(release).build())
        for name, value in (DEFAULTS | (settings or {})).items():
            builder.setConfigProp(name, value)
        self.kit = builder.build()
        self.kit.format()
        self.kit.startup()
        self.kit.waitForReadyBrokers()
        self.admin = java(f"{CLIENTS}.admin.Admin").create(self._properties())
        self.partition = java("org.apache.kafka.common.TopicPartition")(TOPIC, 0)
        self.log = java("org.slf4j.LoggerFactory").getLogger("recorder")

    def _properties(self, **more: str) -> Any:
        properties = java("java.util.Properties")()
        properties.put("bootstrap.servers", self.kit.bootstrapServers())
        for name, value in more.items():
            properties.put(name.replace("_", "."), value)
        return properties

    def broker(self, node_id: int) -> Any:
        """The server of a broker."""
        return self.kit.brokers().get(java("java.lang.Integer")(node_id))

    def founds(self, replicas: list[int], **settings: str) -> None:
        """Create the topic; the first replica leads. Wait until every replica is there, and has fetched."""
        assignment = java("java.util.HashMap")()
        assignment.put(java("java.lang.Integer")(0), int_list(replicas))
        topic = java(f"{CLIENTS}.admin.NewTopic")(TOPIC, assignment)
        given = java("java.util.HashMap")()
        for name, value in settings.items():
            given.put(name.replace("_", "."), value)
        self.admin.createTopics(listed([topic.configs(given)])).all().get()
        for each in replicas[1:]:
            until(f"broker {each} fetches", lambda each=each: self._fetchers(each))

    def _fetchers(self, broker: int) -> dict[int, Any]:
        """The fetchers of a broker by the leader from which each fetches."""
        manager = self.broker(broker).replicaManager().replicaFetcherManager()
        threads = java("kafkacheck.Members").call(manager, "fetcherThreadMap")
        fetchers = list(java("scala.jdk.javaapi.CollectionConverters").asJava(threads).values())
        return {int(each.leader().brokerEndPoint().id()): each for each in fetchers}

    def prefers(self, replicas: list[int]) -> None:
        """Put the replicas in another order, so that the first one is preferred."""
        target = java("java.util.Optional").of(java(f"{CLIENTS}.admin.NewPartitionReassignment")(int_list(replicas)))
        change = java("java.util.HashMap")()
        change.put(self.partition, target)
        self.admin.alterPartitionReassignments(change).all().get()
        until("the new order is known", lambda: self.described()["replicas"] == replicas)

    def elects_preferred(self) -> None:
        """Let the controller elect the preferred replica."""
        partitions = java("java.util.HashSet")(listed([self.partition]))
        self.admin.electLeaders(java("org.apache.kafka.common.ElectionType").PREFERRED, partitions).all().get()

    def configures(self, name: str, value: str) -> None:
        """Change a setting of the topic."""
        resource = java("org.apache.kafka.common.config.ConfigResource")
        entry = java(f"{CLIENTS}.admin.ConfigEntry")(name, value)
        change = java(f"{CLIENTS}.admin.AlterConfigOp")
        operations = java("java.util.HashMap")()
        operations.put(resource(resource.Type.TOPIC, TOPIC), listed([change(entry, change.OpType.SET)]))
        self.admin.incrementalAlterConfigs(operations).all().get()

    def enables(self, feature: str, level: int) -> None:
        """Set a feature of the cluster to a level that it has not, or has already."""
        update = java(f"{CLIENTS}.admin.FeatureUpdate")
        upgrade = update(jpype.JShort(level), update.UpgradeType.UPGRADE)
        updates = java("java.util.HashMap")()
        updates.put(feature, upgrade)
        self.admin.updateFeatures(updates, java(f"{CLIENTS}.admin.UpdateFeaturesOptions")()).all().get()

    def described(self) -> dict[str, Any]:
        """The partition as a broker tells it to clients."""
        names = listed([java("java.lang.String")(TOPIC)])
        found = self.admin.describeTopics(names).allTopicNames().get().get(TOPIC).partitions().get(0)
        lists = {"isr": found.isr(), "replicas": found.replicas(), "elr": found.elr() or ()}
        leader = found.leader()
        return {
            "leader": int(leader.id()) if leader is not None and not leader.isEmpty() else None,
            **{name: [int(each.id()) for each in nodes] for name, nodes in lists.items()},
        }

    def sends(self, value: str) -> "Sent":
        """Send a record with acks=all, once, by a producer that has just learnt who leads."""
        settings = {"acks": "all", "retries": "0", "enable_idempotence": "false", "linger_ms": "0"}
        properties = self._properties(key_serializer=STRINGS, value_serializer=STRINGS, **settings)
        producer = java(f"{CLIENTS}.producer.KafkaProducer")(properties)
        record = java(f"{CLIENTS}.producer.ProducerRecord")(TOPIC, java("java.lang.Integer")(0), None, value)
        return Sent(producer.send(record))

    def replica(self, broker: int) -> Any:
        """The replica of a broker, as its `Partition`."""
        return self.broker(broker).replicaManager().getPartitionOrException(self.partition)

    def leads(self, broker: int, leader_epoch: int) -> bool:
        """Whether a broker has replayed that it leads in this leader epoch."""
        replica = self.replica(broker)
        return bool(replica.isLeader()) and int(replica.getLeaderEpoch()) == leader_epoch

    def fetched(self, leader: int, follower: int) -> int:
        """The offset up to which a leader knows that a follower has fetched."""
        return int(self.replica(leader).getReplica(follower).get().stateSnapshot().logEndOffset())

    def isr(self, broker: int) -> list[int]:
        """The ISR that a broker knows."""
        return numbers_in(self.replica(broker).partitionState().isr())

    def recovery(self, broker: int) -> str:
        """Whether a leader was elected cleanly: RECOVERED or RECOVERING."""
        return str(self.replica(broker).partitionState().leaderRecoveryState())

    def replaces_controller(self) -> str:
        """Stop the active controller, and wait until another one is active; what happened."""
        former = self.active()
        self.kit.controllers().get(java("java.lang.Integer")(former)).shutdown()
        later = until("another controller is active", lambda: {self.active(former)} - {None, former})
        return f"controller {former} stops, and {later.pop()} takes over"

    def active(self, without: int | None = None) -> int | None:
        """The active controller; `without`: not this one, which has stopped."""
        for entry in self.kit.controllers().entrySet():
            if int(entry.getKey()) != without and entry.getValue().controller().isActive():
                return int(entry.getKey())
        return None

    def ends(self, broker: int) -> tuple[int, int]:
        """High watermark and log end offset of a replica."""
        log = self.replica(broker).localLogOrException()
        return int(log.highWatermark()), int(log.logEndOffset())

    def holds_fetches(self, broker: int, leader: int) -> Any:
        """Hold back what a follower fetches from a leader from now on; the gate to open."""
        fetcher = until(f"broker {broker} fetches from {leader}", lambda: self._fetchers(broker).get(leader))
        return java("kafkacheck.Gate").ofFetcher(fetcher)

    def holds_heartbeats(self, broker: int) -> Any:
        """Hold back the heartbeats of a broker; the gate to open."""
        lifecycle = java("kafkacheck.Members").get(self.broker(broker), "lifecycleManager")
        return java("kafkacheck.Gate").ofQueue(lifecycle.eventQueue())

    def holds_metadata(self, broker: int) -> Any:
        """Hold back a broker's replay of the metadata log; the gate to open.

        Kafka hands it one batch of records at once, and all others together as soon as it has read that one. So the
        first batch has passed when this returns: it is a record without a content, which comes every `IDLE_MS`.
        """
        shared = java("kafkacheck.Members").get(self.broker(broker), "sharedServer")
        gate = java("kafkacheck.Gate").ofQueue(java("kafkacheck.Members").get(shared.loader(), "eventQueue"))
        time.sleep(3 * IDLE_MS / 1000)
        return gate


class Sent:
    """A record on its way."""

    def __init__(self, future: Any) -> None:
        self._future = future

    @property
    def is_answered(self) -> bool:
        """Whether its producer has an answer."""
        return bool(self._future.isDone())

    def offset(self) -> int | None:
        """Wait for the answer: the offset that was acknowledged, or None after an error."""
        until("the producer is answered", lambda: self.is_answered)
        return None if self.error() else int(self._future.get().offset())

    def error(self) -> str:
        """The name of the error that answers it, or ""."""
        try:
            self._future.get()
        except java("java.util.concurrent.ExecutionException") as error:
            return str(error.getCause().getClass().getSimpleName())
        return ""


def run(main: Callable[[], None], log: Path) -> None:
    """Run what needs a cluster, then end the process with all threads of the cluster; status 1 after an error."""
    status = 0
    try:
        started(log)
        main()
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)
