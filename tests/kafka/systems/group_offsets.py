"""Kafka's offsets of several groups as a system: `OffsetMetadataManager`, beside `GroupMetadataManager`.

It judges which commits a group accepts, what commits, deletions and the end of a transaction leave, what a fetch
returns at which high watermark, what expires, and what a new coordinator reads. The door stands for the log, with its
high watermark and its cleaner, and for what members ask of their groups.
"""

import re
from typing import Any

import jvm

DOOR = "org.apache.kafka.coordinator.group.GroupOffsetsDoor"
RETENTION_MS = 100 * 24 * 3_600_000
"""More than `offsets.retention.minutes`; one tick of the model."""
NONE, NO_MEMBER, LATER = 0, -1, 1_000
UNSTABLE = "UNSTABLE_OFFSET_COMMIT"
SEEN = ("group.type", "offsets[*].offset", "pending[*].offsets[*].offset")
Written = dict[str, Any]


def ids(values: Any) -> list[int]:
    """A set of the model as numbers."""
    return sorted(values)


class GroupOffsets:
    """The coordinators of one partition of the offsets topic, one after the other."""

    observes = tuple(f"coordinator.written.groups[*].{each}" for each in SEEN)
    answers = ("last.offset", "last.expired", "last.error")

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        may_refuse = ("offsets_expire", "offsets_are_deleted", "topic_is_deleted", "group_is_deleted")
        self.refuses = tuple(each for each in (*may_refuse, "client_fetches_stable") if each in self.acts)
        judged = (*self.observes, *self.answers)
        self.not_judged = {
            path: "the log's, a member's, a client's, or of what was told"
            for path in model.fields
            if re.sub(r"\[\d+\]", "[*]", path) not in judged
        }
        self.door = jvm.java(DOOR)()

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(self.bounds["partitions"])
        self.writes: list[Written] = []
        self.now = 0
        self.is_loading, self.is_held = False, False
        self.next = self.committed = self.heard = self.high_watermark = self.replicated = self.cleaned_to = 0
        self.epochs: list[dict[str, int]] = [{"epoch": 0, "since": 0} for _ in range(self.bounds["groups"])]
        self.known: list[dict[int, int]] = [{0: 0} for _ in range(self.bounds["groups"])]
        self.answer: dict[str, Any] = {}

    def know(self, group: int) -> None:
        """Note which generation or member epoch the newest one of the model is."""
        epoch = self.epochs[group]["epoch"]
        generation = int(self.door.generation(group))
        self.known[group][epoch] = epoch if generation < 0 else generation

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the coordinator."""
        self.answer = {"last.offset": NONE, "last.expired": [], "last.error": "NONE"}
        is_done = bool(getattr(self, action)(**parameters))
        if not is_done:
            self.answer = {}
        return is_done

    def open_producers(self) -> list[int]:
        """Producers whose transaction is open."""
        newest = {each["producer"]: each["marker"] for each in self.writes if each["producer"] >= 0}
        return [producer for producer, marker in newest.items() if marker is None]

    def can_write(self) -> bool:
        """Whether the coordinator serves, and the log has room, as the bounds of the model say."""
        return not self.is_loading and len(self.writes) + len(self.open_producers()) < self.bounds["log_writes"]

    def noted(self, group: int, partitions: Any, producer: int = -1, marker: bool | None = None) -> None:
        """Note what the door has written, for the cleaner, if it has written."""
        if int(self.door.size()) > len(self.writes):
            named = {"group": group, "partitions": set(partitions), "producer": producer, "marker": marker}
            self.writes.append(named)

    def answered(self, error: Any) -> bool:
        """The error of a commit, if the model has members."""
        if self.bounds["max_member_epoch"] > 0:
            self.answer["last.error"] = str(error)
        return True

    def client_commits(self, group_id: int, named: Any, offset: int) -> bool:
        """A client that is no member commits."""
        return self.committed_by(group_id, NO_MEMBER, named, [], offset)

    def client_commits_too_much(self, group_id: int, named: Any, too_large: Any, offset: int) -> bool:
        """A client commits, with too large metadata."""
        return self.committed_by(group_id, NO_MEMBER, named, ids(too_large), offset)

    def member_commits(self, group_id: int, member_epoch: int, named: Any, offset: int) -> bool:
        """A consumer commits."""
        return self.committed_by(group_id, self.epoch_of(group_id, member_epoch), named, [], offset)

    def committed_by(self, group: int, epoch: int, named: Any, too_large: list[int], offset: int) -> bool:
        """A commit outside transactions."""
        error = self.door.commit(group, epoch, jvm.int_list(ids(named)), jvm.int_list(too_large), offset)
        self.noted(group, set(ids(named)) - set(too_large))
        return self.answered(error)

    def epoch_of(self, group: int, epoch: int) -> int:
        """The generation or member epoch that stands for one of the model; a later one, if the group never had it."""
        return self.known[group].get(epoch, LATER + epoch)

    def producer_commits_offsets(self, group_id: int, producer_id: int, named: Any, offset: int) -> bool:
        """A producer commits in its transaction, and names no member."""
        return self.member_commits_in_transaction(group_id, producer_id, NO_MEMBER, named, offset)

    def member_commits_in_transaction(
        self, group_id: int, producer_id: int, member_epoch: int, named: Any, offset: int
    ) -> bool:
        """A producer commits in its transaction."""
        epoch = member_epoch if member_epoch < 0 else self.epoch_of(group_id, member_epoch)
        error = self.door.commitInTransaction(group_id, producer_id, epoch, jvm.int_list(ids(named)), offset)
        self.noted(group_id, ids(named), producer_id)
        return self.answered(error)

    def transaction_ends(self, producer_id: int, commits: bool) -> bool:
        """The marker of a producer's transaction."""
        self.door.end(producer_id, commits)
        self.noted(-1, (), producer_id, commits)
        return True

    def client_fetches(self, group_id: int, partition_id: int) -> bool:
        """A client fetches what is known to be committed."""
        return self.fetched(str(self.door.fetch(group_id, partition_id, self.committed)))

    def client_fetches_stable(self, group_id: int, partition_id: int) -> bool:
        """A client fetches a stable offset."""
        if self.is_loading or self.is_held:
            return False
        found = str(self.door.fetch(group_id, partition_id, -1))
        self.is_held = found != UNSTABLE
        return self.is_held and self.fetched(found)

    def fetched(self, found: str) -> bool:
        """What a fetch has returned."""
        self.answer["last.offset"] = max(NONE, int(found))
        return True

    def coordinator_answers_fetch(self) -> bool:
        """The fetch that waits is answered."""
        self.is_held = False
        return True

    def removed(self, group: int, is_done: Any, expired: bool = False) -> bool:
        """Whether something was removed."""
        if not is_done:
            return False
        gone = [int(each) for each in self.door.tombstones()]
        self.noted(group, gone)
        if expired:
            self.answer["last.expired"] = gone
        return True

    def offsets_are_deleted(self, group_id: int, named: Any) -> bool:
        """An admin client deletes offsets."""
        return self.can_write() and self.removed(group_id, self.door.delete(group_id, jvm.int_list(ids(named))))

    def topic_is_deleted(self, group_id: int, partition_id: int) -> bool:
        """A topic is deleted."""
        return self.can_write() and self.removed(group_id, self.door.deleteTopic(group_id, partition_id))

    def group_is_deleted(self, group_id: int) -> bool:
        """An admin client deletes a group."""
        return self.can_write() and self.removed(group_id, self.door.deleteGroup(group_id))

    def offsets_expire(self, group_id: int) -> bool:
        """The coordinator looks for expired offsets."""
        return self.can_write() and self.removed(group_id, self.door.expire(group_id), True)

    def retention_passes(self) -> bool:
        """Time passes."""
        self.door.pass_(RETENTION_MS)
        return True

    def record_is_replicated(self) -> bool:
        """The high watermark rises."""
        self.high_watermark += 1
        return True

    def coordinator_learns_high_watermark(self) -> bool:
        """The coordinator knows one more write to be committed."""
        self.committed += 1
        return True

    def coordinator_moves(self, kept: int) -> bool:
        """A new coordinator begins to load."""
        self.door.elect(kept)
        del self.writes[kept:]
        self.is_loading, self.is_held, self.next, self.committed = True, False, 0, 0
        return True

    def new_leader_knows_less(self, known: int) -> bool:
        """Its high watermark is lower."""
        return True

    def is_kept(self, position: int, partition: int) -> bool:
        """Whether the cleaner has left a record: no later one that counts has its key."""
        for later in range(position + 1, self.cleaned_to):
            write = self.writes[later]
            if write["group"] == self.writes[position]["group"] and partition in write["partitions"]:
                ends = [each for each in self.writes[later + 1 :] if each["producer"] == write["producer"]]
                markers = [each["marker"] for each in ends if each["marker"] is not None]
                if write["producer"] < 0 or (markers and markers[0]):
                    return False
        return True

    def coordinator_reads_write(self) -> bool:
        """A new coordinator reads the next write."""
        written = self.writes[self.next]["partitions"]
        self.door.read(self.next, jvm.int_list([each for each in written if not self.is_kept(self.next, each)]))
        self.next += 1
        return True

    def coordinator_ends_loading(self) -> bool:
        """A new coordinator serves."""
        self.is_loading = False
        return True

    def log_is_cleaned(self, end: int) -> bool:
        """The cleaner gets further."""
        self.cleaned_to = end
        return True

    def member_joins(self, group_id: int, is_classic: bool, subscribed: Any) -> bool:
        """The member of a group joins."""
        known = self.epochs[group_id]
        if str(self.door.type(group_id)) == "NONE":
            known["epoch"] = 0
        known["epoch"] += 1
        known["since"] = known["epoch"]
        self.door.join(group_id, is_classic, known["epoch"], jvm.int_list(ids(subscribed)))
        self.know(group_id)
        self.noted(group_id, ())
        return True

    def member_subscribes(self, group_id: int, subscribed: Any) -> bool:
        """It subscribes to other topics."""
        known = self.epochs[group_id]
        if str(self.door.type(group_id)) == "CONSUMER":
            known["epoch"] += 1
        self.door.subscribe(group_id, known["epoch"], known["since"], jvm.int_list(ids(subscribed)))
        self.know(group_id)
        self.noted(group_id, ())
        return True

    def rebalance_ends(self, group_id: int) -> bool:
        """The rebalance of a classic group ends."""
        self.epochs[group_id]["epoch"] += 1
        self.door.endRebalance(group_id)
        self.know(group_id)
        self.noted(group_id, ())
        return True

    def member_leaves(self, group_id: int) -> bool:
        """The member leaves."""
        self.door.leave(group_id)
        self.noted(group_id, ())
        return True

    def observe(self) -> dict[str, Any]:
        """The groups and offsets that the coordinator has in memory."""
        shown: dict[str, Any] = {}
        for group in range(self.bounds["groups"]):
            name = f"coordinator.written.groups[{group}]"
            shown[f"{name}.group.type"] = str(self.door.type(group))
            for partition in range(self.bounds["partitions"]):
                shown[f"{name}.offsets[{partition}].offset"] = max(NONE, int(self.door.committed(group, partition)))
                for producer in range(self.bounds["producer_ids"]):
                    path = f"{name}.pending[{producer}].offsets[{partition}].offset"
                    shown[path] = max(NONE, int(self.door.pending(producer, group, partition)))
        return shown | self.answer


SYSTEM = GroupOffsets
