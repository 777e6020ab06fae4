"""F5: a broker that loses its replica stays eligible, gets an empty replica later, and is elected cleanly.

Eligible leader replicas are on, and nobody elects uncleanly. The controller is Kafka's `ReplicationControlManager`;
brokers whose logs matter are `ReplicaManager`s, fed by `MetadataBatchLoader` and `BrokerMetadataPublisher`. Only the
network and the fetchers' threads are played here, and C, which fetches until its session ends.
"""

import tempfile
from typing import Any

from broker import Broker
from control import alter, controller, reassign, run, shown
from replication_control import TOPIC


class Run:
    """What both ways have in common: X is the broker that loses its replica, `steps` is what was seen."""

    def __init__(self, replicas: list[int], leader: int, min_insync_replicas: int) -> None:
        rules = {"eligible_leader_replicas": True, "min_insync_replicas": min_insync_replicas}
        self.control = controller(replicas, leader, brokers=3, **rules)
        self.brokers = {each: Broker(each, tempfile.mkdtemp(), TOPIC, self.control.topic_id) for each in (X, L)}
        self.steps: list[str] = []
        self.hear()
        self.answers = self.brokers[leader].produces("r0")

    def hear(self) -> None:
        """Let every broker replay what it has not replayed yet, one record of the metadata log after the other."""
        for broker in self.brokers.values():
            for record in list(self.control.door.written())[broker.offset :]:
                broker.replays([record])

    def note(self, what: str) -> None:
        """Let the brokers hear of it, and note how it is now."""
        self.hear()
        self.steps.append(f"{what}: {shown(self.control)}, X's log ends at {self.brokers[X].log_end}")

    def result(self) -> str:
        """What was seen, with a verdict."""
        partition = self.control.door.partition(self.control.topic_id)
        epoch, recovery = int(partition.leaderEpoch), str(partition.leaderRecoveryState)
        is_led = int(partition.leader) == X
        cut = self.brokers[X].is_fetched(L, 1, epoch, 0) if is_led else None
        answer = self.answers[0] if self.answers else "not at all"
        is_lost = is_led and answer == "NONE" and self.brokers[X].log_end == 0 and cut == 0 and recovery == "RECOVERED"
        told = f"L has the record and is told to truncate to {cut}" if cut is not None else "L keeps the record"
        verdict = "happens: LOST, finding reproduced" if is_lost else "does not happen"
        return f"the producer is answered {answer}; {'; '.join(self.steps)}; {recovery}; {told}: {verdict}"


X, L, C = 0, 1, 2


def fewer_replicas() -> Run:
    """Three replicas become two, and three again; min.insync.replicas is 3."""
    done = Run([L, C, X], L, min_insync_replicas=3)
    leader = done.brokers[L]
    done.brokers[X].fetches(leader, leader_epoch=0)
    is_fetched_by_c(leader)
    done.note("at first")
    reassign(done.control, [L, C])
    done.note("reassigned to L, C")
    done.control.controller_fences_broker(C)
    reassign(done.control, [L, C, X])
    done.note("C fails, reassigned to L, C, X")
    done.control.controller_fences_broker(L)
    done.note("L fails")
    return done


def moved_and_back() -> Run:
    """A partition with one replica in sync is moved from X to L, and back; min.insync.replicas is 2."""
    done = Run([X, C], X, min_insync_replicas=2)
    is_fetched_by_c(done.brokers[X])
    done.control.controller_fences_broker(C)
    done.note("C fails")
    reassign(done.control, [C, L])
    done.hear()
    done.brokers[L].fetches(done.brokers[X], leader_epoch=0)
    alter(done.control, X, done.brokers[X].proposal())
    done.note("reassigned to C, L; L joins the ISR")
    reassign(done.control, [X, L])
    done.note("reassigned to X, L")
    done.control.controller_fences_broker(L)
    done.note("L fails")
    return done


def is_fetched_by_c(leader: Broker) -> None:
    """C fetches the record, and says so by its next fetch."""
    leader.is_fetched(C, 0, leader_epoch=0)
    leader.is_fetched(C, 1, leader_epoch=0, last_epoch=0)


def main() -> None:
    """Print a line for each way in which a broker may lose its replica and get another one."""
    ways: dict[str, Any] = {"fewer replicas and as many again": fewer_replicas, "moved and back": moved_and_back}
    for way, play in ways.items():
        print(f"F5, {way}: {play().result()}", flush=True)


if __name__ == "__main__":
    run(main)
