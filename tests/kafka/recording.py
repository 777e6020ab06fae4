"""Turns what a cluster of Kafka has logged into the JSON lines that `kafkacheck explain` reads.

Each line that tells something becomes one observation of the process that logged it, in the order of the log. Names and
numbers are translated, and nothing else: what the controller writes to the metadata log; of each broker the elections
that it replays, what it appends and truncates, its high watermark, the followers' offsets that it records, and its ISR;
and what the producer is told.

Actions that the log always tells are named in the first line, so that no behaviour may have them unseen.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

TOPIC = "t-0"
LOGGED = (
    "controller_alters_partition",
    "controller_unfences_broker",
    "leader_appends",
    "leader_proposes_expansion",
    "leadership_is_moved",
    "session_expires",
)
BEGINS, ENDS = "recorder the recording begins", "recorder the recording ends"
NEWEST = "controller.history[controller.offset]"
NOT_FENCED, FENCED = 0, 1
"""What a change of a registration says of the fence; -1 takes it away."""
NO_OFFSET = -1


class RecordingError(Exception):
    """A log cannot be told to the model; the message names the line."""


class Recorder:
    """Reads a log line by line, from the beginning of the recording to its end."""

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {"leader_epoch": 0}
        self.is_awaiting_fence = False
        self.known: dict[str, Any] = {}
        self.leads: dict[int, bool] = {}
        self.appended = 0

    def reads(self, line: str) -> Iterator[dict[str, Any]]:
        """The observations of one line of the log. RecordingError if the model has no such thing."""
        for pattern, told in READERS:
            found = re.search(pattern, line)
            if found:
                yield from told(self, *found.groups())
                return

    def begins(self, leader: str, isr: str) -> Iterator[dict[str, Any]]:
        """What a client sees when the recording begins."""
        isr_now = ids(isr)
        self.metadata |= {"leader": int(leader), "isr": isr_now, "active": isr_now}
        self.leads = {each: each == int(leader) for each in isr_now}
        yield self._controller()

    def partition_changes(self, changes: str) -> Iterator[dict[str, Any]]:
        """The controller writes a change of the partition; if it fences a broker by it, that record comes next."""
        found = dict(re.findall(r"(\w+): (?:\[.*?\]|-?\d+) -> (\[.*?\]|-?\d+)", changes))
        if "leader" in found:
            self.metadata |= {"leader": int(found["leader"]), "leader_epoch": int(found["leaderEpoch"])}
        if "isr" in found:
            self.metadata["isr"] = ids(found["isr"])
        if "leader" in found and "isr" in found:
            self.is_awaiting_fence = True
        elif "leader" in found:
            yield self._controller("leadership_is_moved", new_leader=self.metadata["leader"])
        elif "isr" in found:
            yield self._controller("controller_alters_partition", leader_id=self.metadata["leader"])
        else:
            raise RecordingError(f"the controller changes {changes}; expected a new leader or another ISR")

    def registration_changes(self, broker: str, fenced: str, stops: str) -> Iterator[dict[str, Any]]:
        """The controller fences or unfences a broker."""
        node_id, active = int(broker), set(self.metadata["active"])
        if int(fenced) == NOT_FENCED or int(stops) != 0:
            raise RecordingError(f"broker {broker} stops; expected that its session ends")
        is_fenced = int(fenced) == FENCED
        self.metadata["active"] = sorted(active - {node_id} if is_fenced else active | {node_id})
        self.is_awaiting_fence = False
        if is_fenced:
            yield self._controller("session_expires", broker_id=node_id, new_leader=self.metadata["leader"])
        else:
            yield self._controller("controller_unfences_broker", broker_id=node_id)

    def _controller(self, action: str = "", **parameters: Any) -> dict[str, Any]:
        step = {"action": action, "parameters": parameters} if action else {}
        fields = {f"{NEWEST}.{name}": value for name, value in sorted(self.metadata.items())}
        return {"process": "controller", **step, "fields": fields}

    def leads_now(self, broker: str, epoch: str, start: str, isr: str) -> Iterator[dict[str, Any]]:
        """A broker replays that it leads."""
        self.leads[int(broker)] = True
        for path in [each for each in self.known if each.startswith(f"brokers[{broker}].followers")]:
            del self.known[path]
        values = {"leader": int(broker), "leader_epoch": int(epoch), "leader_epoch_start_offset": int(start)}
        yield from self._broker(broker, **values, isr=ids(isr))

    def follows_now(self, broker: str, epoch: str, leader: str) -> Iterator[dict[str, Any]]:
        """A broker replays that another one leads."""
        self.leads[int(broker)] = False
        yield from self._broker(broker, leader=int(leader), leader_epoch=int(epoch))

    def keeps_leading(self, broker: str, isr: str) -> Iterator[dict[str, Any]]:
        """A leader replays another ISR."""
        yield from self._broker(broker, isr=ids(isr))

    def appends(self, broker: str, first: str, end: str) -> Iterator[dict[str, Any]]:
        """A replica appends a record: as leader that of a producer, as follower one that it has fetched."""
        values: dict[str, Any] = {"log.end_offset": int(end)}
        if int(end) != int(first) + 1:
            raise RecordingError(f"broker {broker} appends offsets {first} to {end} at once; expected one record")
        if self.leads[int(broker)]:
            values[f"log.records[{first}].id"] = self.appended
            self.appended += 1
            yield from self._broker(broker, "leader_appends", {"leader_id": int(broker)}, **values)
        else:
            yield {"process": f"broker {broker}", "fields": {f"brokers[{broker}].log.end_offset": int(first)}}
            yield from self._broker(broker, "follower_uses_fetch", {"follower_id": int(broker)}, **values)

    def truncates(self, broker: str, end: str) -> Iterator[dict[str, Any]]:
        """A follower truncates its log."""
        action, values = "follower_uses_fetch", {"log.end_offset": int(end)}
        yield from self._broker(broker, action, {"follower_id": int(broker)}, **values)

    def sets_high_watermark(self, broker: str, offset: str) -> Iterator[dict[str, Any]]:
        """A replica sets its high watermark. The log's end is as last told: the lock of the log keeps both in order."""
        end = self.known.get(f"brokers[{broker}].log.end_offset", 0)
        yield from self._broker(broker, **{"high_watermark": int(offset), "log.end_offset": end})

    def records_fetch(self, broker: str, follower: str, offset: str) -> Iterator[dict[str, Any]]:
        """A leader records how far a follower has fetched."""
        yield from self._broker(broker, **{f"followers[{follower}].end_offset": int(offset)})

    def proposes(self, broker: str, kind: str, follower: str) -> Iterator[dict[str, Any]]:
        """A leader proposes an ISR with or without a follower."""
        action = "leader_proposes_expansion" if kind == "Expand" else "leader_proposes_shrink"
        yield from self._broker(broker, action, {"leader_id": int(broker), "follower_id": int(follower)})

    def learns(self, broker: str, isr: str) -> Iterator[dict[str, Any]]:
        """A leader hears the controller's answer."""
        yield from self._broker(broker, "leader_learns_of_change", {"leader_id": int(broker)}, isr=ids(isr))

    def is_told(self, record: str, offset: str | None) -> Iterator[dict[str, Any]]:
        """A producer hears what has become of its record."""
        acknowledged = NO_OFFSET if offset is None else int(offset)
        yield {"process": "producer", "fields": {f"producers.acknowledged[{record}]": acknowledged}}

    def _broker(
        self, broker: str, action: str = "", parameters: dict[str, int] | None = None, **values: Any
    ) -> Iterator[dict[str, Any]]:
        """What a broker was seen to do, or which of its values have changed; nothing if the log only repeats them."""
        fields = {f"brokers[{broker}].{name}": value for name, value in values.items()}
        is_news = any(self.known.get(path, "never told") != value for path, value in fields.items())
        self.known |= fields
        if action or is_news:
            step = {"action": action, "parameters": parameters} if action else {}
            yield {"process": f"broker {broker}", **step, "fields": fields}


def ids(text: str) -> list[int]:
    """The broker ids in a list as the log has it, in order."""
    return sorted(int(each) for each in re.findall(r"\d+", text))


_PARTITION, _LOG = (
    rf"\[Partition {TOPIC} broker=(\d+)\]",
    rf"\[UnifiedLog partition={TOPIC}, dir=\S*/broker_(\d+)_data0\]",
)
READERS: tuple[tuple[str, Callable[..., Iterator[dict[str, Any]]]], ...] = (
    (rf"{BEGINS}: leader (\d+), ISR \[(.*)\]", Recorder.begins),
    (rf"partition change for {TOPIC} with topic ID \S+: (.*)", Recorder.partition_changes),
    (
        r"Replaying log record BrokerRegistrationChangeRecord\(brokerId=(\d+), .*"
        r"fenced=(-?\d), inControlledShutdown=(\d)",
        Recorder.registration_changes,
    ),
    (
        rf"\[Broker id=(\d+)\] Leader {TOPIC} with .* starts at leader epoch (\d+) from offset (\d+) .*"
        r" ISR \[(.*?)\]",
        Recorder.leads_now,
    ),
    (
        rf"\[Broker id=(\d+)\] Follower {TOPIC} starts at leader epoch (\d+) .* Current leader is (\d+)",
        Recorder.follows_now,
    ),
    (
        rf"\[Broker id=(\d+)\] Skipped the become-leader state change for {TOPIC} .*already the leader.*"
        r" ISR \[(.*?)\]",
        Recorder.keeps_leading,
    ),
    (rf"{_LOG} Appended message set with last offset: \d+, first offset: (\d+), next offset: (\d+)", Recorder.appends),
    (rf"{_LOG} Truncating to offset (\d+)", Recorder.truncates),
    (rf"{_LOG} Setting high watermark \(offset=(\d+)", Recorder.sets_high_watermark),
    (rf"{_PARTITION} Recorded replica (\d+) log end offset \(LEO\) position (\d+)", Recorder.records_fetch),
    (
        rf"{_PARTITION} Submitting ISR state change Pending(Expand|Shrink)Isr\("
        r"(?:newInSyncReplicaId=|outOfSyncReplicaIds=Set\()(\d+)",
        Recorder.proposes,
    ),
    (rf"{_PARTITION} ISR updated to (\S+) ", Recorder.learns),
    (r"recorder record (\d+) is (?:acknowledged at offset (\d+)|not acknowledged)", Recorder.is_told),
)
"""What is read: a pattern, and what its groups are told to."""


def excerpt(lines: Iterable[str]) -> list[str]:
    """The lines of a log that are read, from the beginning of the recording to its end.

    RecordingError if the recording does not end.
    """
    chosen, has_begun = [], False
    for line in lines:
        has_begun = has_begun or BEGINS in line
        if has_begun and ENDS in line:
            return chosen
        if has_begun and any(re.search(pattern, line) for pattern, _ in READERS):
            chosen.append(line)
    raise RecordingError(f"the log has no line with {(ENDS if has_begun else BEGINS)!r}; expected a whole recording")


def recorded(lines: Iterable[str]) -> list[str]:
    """The JSON lines of a log's excerpt. RecordingError naming the line that the model has nothing for."""
    recorder, found = Recorder(), [json.dumps({"logged": LOGGED})]
    for line in lines:
        try:
            found += [json.dumps(each) for each in recorder.reads(line)]
        except RecordingError as error:
            raise RecordingError(f"{error}: {line}") from None
    if recorder.is_awaiting_fence:
        raise RecordingError("the last election has no reason in the log; expected that a broker is fenced with it")
    return found
