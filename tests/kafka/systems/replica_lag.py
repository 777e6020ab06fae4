"""What a leader remembers of a follower's fetches, as a system: Kafka's `Replica` and `ReplicaState`.

The leader's end, the follower's end and the clock are played. Whether a member of the ISR lags is Kafka's answer; which
follower comes back into the ISR is not asked of this class.
"""

from typing import Any, ClassVar

import jvm
from around.broker_parts import metadata_cache
from around.reflection import found

KINDS = "org.apache.kafka.server.replica.Replica", "kafka.cluster.Replica"
LEADER, FOLLOWER = 0, 1
ANY_EPOCH = -1
"""The broker epoch of a fetch that names none."""
PLAYED = "played: the leader's log, the follower, the clock, or the ISR"


class ReplicaLag:
    """A follower as its leader sees it; a tick of the clock is a millisecond."""

    observes = (
        "progress.end_offset",
        "progress.last_caught_up_time",
        "progress.last_fetch_time",
        "progress.last_fetch_leader_end_offset",
    )
    acts = ("producer_bursts", "clock_ticks", "follower_fetches", "leader_drops_lagging")
    refuses = ("leader_drops_lagging",)
    silent: ClassVar = {"follower_dies": "a follower that is dead only stops to fetch"}

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.not_judged = {path: PLAYED for path in model.fields if path not in self.observes}
        self.longest_time = model.rules["longest_time"]
        self.offset_at = jvm.java("org.apache.kafka.storage.internals.log.LogOffsetMetadata")
        self.partition = jvm.java("org.apache.kafka.common.TopicPartition")("topic", 0)
        self.cache = metadata_cache(LEADER)

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty partition, whose follower has just fetched."""
        self.now = self.leader_end = self.follower_end = 0
        self.is_in_sync = True
        self.replica = found(*KINDS)(FOLLOWER, self.partition, self.cache)
        self._fetch()

    def _fetch(self) -> None:
        """Let the leader note a fetch from the follower's end."""
        offset = self.offset_at(self.follower_end)
        self.replica.updateFetchStateOrThrow(offset, 0, self.now, self.leader_end, ANY_EPOCH)

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Take a step; whether the follower lags, if the leader looks for that."""
        if action == "producer_bursts":
            self.leader_end += parameters["burst"]
        elif action == "clock_ticks":
            self.now += 1
        elif action == "follower_fetches":
            self._fetch()
            self.is_in_sync = self.is_in_sync or self.follower_end == self.leader_end
            self.follower_end = self.leader_end
        else:
            follower = self.replica.stateSnapshot()
            if not self.is_in_sync or follower.isCaughtUp(self.leader_end, self.now, self.longest_time):
                return False
            self.is_in_sync = False
        return True

    def observe(self) -> dict[str, Any]:
        """The fetches that the leader remembers."""
        follower = self.replica.stateSnapshot()
        shown = (
            follower.logEndOffset(),
            follower.lastCaughtUpTimeMs(),
            follower.lastFetchTimeMs(),
            follower.lastFetchLeaderLogEndOffset(),
        )
        return dict(zip(self.observes, map(int, shown), strict=True))


SYSTEM = ReplicaLag
