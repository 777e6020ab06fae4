"""Kafka's `KafkaRaftClient` as a system beside the models of the metadata quorum: one client for each voter.

It judges elections, votes, the replication of the log, the high watermark, and what a voter knows after a restart. The
adapter is the network, the clocks and the disks. What it does not deliver is lost with its connection, except votes on
their way. A request for a pre-vote (KIP-996) reaches nobody who knows pre-votes, so that a voter stands at once.

Voters that are known by their directories have `kraft.version` 1: a snapshot names them. Otherwise it is 0.
"""

import tempfile
from pathlib import Path
from typing import Any

import jvm

DOOR = "org.apache.kafka.raft.VoterDoor"
UUID = "org.apache.kafka.common.Uuid"
FETCH_TIMEOUT_MS, ELECTION_TIMEOUT_MS = 2_000, 1_000
SETTINGS = {
    "controller.quorum.fetch.timeout.ms": FETCH_TIMEOUT_MS,
    "controller.quorum.election.timeout.ms": ELECTION_TIMEOUT_MS,
    "controller.quorum.request.timeout.ms": 1_000_000,
    "controller.quorum.retry.backoff.ms": 0,
    "controller.quorum.append.linger.ms": 0,
}
LONG_MS = 2 * FETCH_TIMEOUT_MS + 2 * ELECTION_TIMEOUT_MS
"""Longer than any timeout of a voter that does not lead."""
NOT_AVAILABLE, UNSUPPORTED_VERSION = 8, 35
"""Kafka's codes for a connection that is lost, and for a request that its receiver does not know."""
NO_OFFSET = -1
FETCH, VOTE, BEGIN = "FetchRequestData", "VoteRequestData", "BeginQuorumEpochRequestData"
ROUNDS_OF_FETCHES = 3
"""Between them passes a leader's timeout, which is half as long again as a fetch's."""
STEPS_OF_A_TIMEOUT = 6
"""More steps of a clock than any timeout takes."""
NEVER_SHOWN = {
    "voters[*].log.records[*].id": "Kafka's records have none",
    "followers": "shows in the answer to the next vote request",
    "budget": "the environment's",
}
SHOWN = ("epoch", "is_leader", "has_resigned", "voted", "is_observer", "votes", "log.end_offset",
         "log.records[*].epoch", "epoch_start_offset", "high_watermark", "end_offsets")  # fmt: skip


class RaftClient:
    """The voters of a quorum, with the messages between them."""

    observes = tuple(f"voters[*].{field}" for field in SHOWN)

    def __init__(self, model: Any) -> None:
        unknown = [action for action in model.actions if not hasattr(self, action)]
        if unknown:
            raise ValueError(
                f"{model.name} has the action {unknown[0]}; expected the model tests/kafka/models/raft_model.py"
            )
        jvm.started()
        self.voters = range(model.bounds["voters"])
        self.log_size = model.bounds["log_size"]
        self.acts = tuple(model.actions)
        self.not_judged = NEVER_SHOWN
        self.directories = [_directory() for _ in self.voters]
        self.bootstrap = None
        if model.rules["voters_have_directories"] and model.bounds["disk_losses"]:
            self.folder = tempfile.TemporaryDirectory()
            self.bootstrap = jvm.java("java.nio.file.Path").of(str(Path(self.folder.name)))
            jvm.java(DOOR).writeBootstrap(self.bootstrap, jvm.listed(self.directories))

    def start(self, state: dict[str, Any]) -> None:
        """Start every voter with an empty log."""
        settings = jvm.java("java.util.HashMap")()
        for name, value in SETTINGS.items():
            settings.put(name, jvm.java("java.lang.Integer")(value))
        self.doors = [
            jvm.java(DOOR)(voter, len(self.voters), settings, self.bootstrap, self.directories[voter])
            for voter in self.voters
        ]
        self.granted: list[dict[int, Any]] = [{} for _ in self.voters]
        for door in self.doors:
            door.start()

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the voters do what the action says; whether they did."""
        done: bool = getattr(self, action)(**parameters)
        return done

    def voter_stands_for_election(self, voter_id: int, epoch: int) -> bool:
        """A voter's clock advances until it is a candidate in a new epoch."""
        door = self.doors[voter_id]
        before = self._epoch(voter_id)
        self.granted[voter_id] = {}
        for _ in range(STEPS_OF_A_TIMEOUT):
            if str(door.role()) == "prospective":
                door.answer(door.request(VOTE, -1), _lost("VoteResponseData", UNSUPPORTED_VERSION))
            if str(door.role()) == "candidate" and self._epoch(voter_id) > before:
                return True
            door.sleep(LONG_MS)
        return False

    def resigned_voter_enters_next_epoch(self, voter_id: int, epoch: int) -> bool:
        """A voter's clock advances until it is in a new epoch."""
        before = self._epoch(voter_id)
        self.doors[voter_id].sleep(LONG_MS)
        return self._epoch(voter_id) > before

    def voter_receives_vote_request(self, voter_id: int, candidate_id: int) -> bool:
        """A candidate's request arrives. The response is on its way if it is a vote; otherwise it is lost."""
        candidate = self.doors[candidate_id]
        request = candidate.request(VOTE, voter_id)
        response = self._response(voter_id, request)
        if response.topics().size() and response.topics().get(0).partitions().get(0).voteGranted():
            self.granted[candidate_id][voter_id] = (request, response)
        else:
            candidate.answer(request, _lost("VoteResponseData"))
        return True

    def candidate_counts_votes(self, candidate_id: int) -> bool:
        """The votes for a candidate arrive."""
        self._count_votes(candidate_id)
        return True

    def _count_votes(self, candidate_id: int) -> None:
        votes, self.granted[candidate_id] = self.granted[candidate_id], {}
        for request, response in votes.values():
            if str(self.doors[candidate_id].role()) == "candidate":
                self.doors[candidate_id].answer(request, response)

    def quorum_leader_appends(self, leader_id: int) -> bool:
        """The controller beside a voter writes a record."""
        self.doors[leader_id].append("record")
        return True

    def voter_fetches(self, voter_id: int, leader_id: int) -> bool:
        """A voter's fetch arrives, and its response is lost. A voter may ask the leader of an older epoch, too."""
        voter = self.doors[voter_id]
        if self._epoch(voter_id) > self._epoch(leader_id):
            request = voter.request(FETCH, -1)
            if request is not None:
                self._response(leader_id, request)
        else:
            request, _ = self._fetch(voter_id, leader_id)
        if request is not None:
            voter.answer(request, _lost("FetchResponseData"))
        return True

    def voter_receives_record(self, voter_id: int, leader_id: int) -> bool:
        """A voter's fetch arrives, and the response, until the voter has a record or its log diverges no more."""
        before = self.observe()
        diverges = True
        while diverges:
            request, response = self._fetch(voter_id, leader_id)
            self.doors[voter_id].answer(request, response)
            diverges = response.responses().get(0).partitions().get(0).divergingEpoch().epoch() >= 0
            diverges = diverges and not self.doors[leader_id].hasAllOf(self.doors[voter_id])
        return before != self.observe()

    def fetch_timeout_passes(self, leader_id: int, fetching: list[int]) -> bool:
        """A leader's clock advances beyond the timeout, while only these voters fetch, for what they fetched before."""
        leader = self.doors[leader_id]
        for round_of_fetches in range(ROUNDS_OF_FETCHES):
            if round_of_fetches > 0 and str(leader.role()) == "leader":
                leader.sleep(FETCH_TIMEOUT_MS)
            for each in fetching:
                if each != leader_id and str(leader.role()) == "leader":
                    self.voter_fetches(each, leader_id)
        return True

    def voter_crashes(self, voter_id: int) -> bool:
        """A voter's process begins anew with its disk."""
        self._restart(voter_id, self._length(voter_id))
        return True

    def leader_crashes_before_flush(self, leader_id: int, receiving: list[int], end_offset: int) -> bool:
        """Voters that know the high watermark have fetches waiting at a leader, which appends and loses power."""
        waiting = []
        for voter in receiving:
            self.doors[voter].answer(*self._fetch(voter, leader_id))
            request = self.doors[voter].request(FETCH, leader_id)
            request.data().setMaxWaitMs(FETCH_TIMEOUT_MS)
            waiting.append((voter, request, self.doors[leader_id].receive(request)))
        self.doors[leader_id].failToFlush()
        self.doors[leader_id].append("record")
        for voter, request, response in waiting:
            self.doors[voter].answer(request, response.getNow(None).data())
        self._restart(leader_id, end_offset)
        return True

    def candidate_crashes_before_flush(self, candidate_id: int, end_offset: int) -> bool:
        """The votes for a candidate arrive; it appends its first record and loses power."""
        self.doors[candidate_id].failToFlush()
        self._count_votes(candidate_id)
        self._restart(candidate_id, end_offset)
        return True

    def voter_disk_is_replaced(self, voter_id: int) -> bool:
        """A voter's process begins anew with an empty disk, which has another directory id."""
        self.doors[voter_id].replaceDisk(_directory())
        self._restart(voter_id, 0)
        return True

    def _restart(self, voter_id: int, end_offset: int) -> None:
        self.granted[voter_id] = {}
        self.doors[voter_id].keep(end_offset)
        self.doors[voter_id].start()
        self.doors[voter_id].run()

    def _fetch(self, voter_id: int, leader_id: int) -> tuple[Any, Any]:
        """Let a voter that knows the leader send a fetch: the request and its response, which is not delivered."""
        voter = self.doors[voter_id]
        self._tell_of_leader(voter_id, leader_id)
        request = voter.request(FETCH, -1)
        if request is None:
            voter.run()
            request = voter.request(FETCH, -1)
        return request, self._response(leader_id, request)

    def _tell_of_leader(self, voter_id: int, leader_id: int) -> None:
        """Let a leader tell a voter that it leads, if the voter does not know that."""
        leader = self.doors[leader_id]
        for _ in range(STEPS_OF_A_TIMEOUT):
            if str(self.doors[voter_id].role()) == "follower" and self._epoch(voter_id) == self._epoch(leader_id):
                return
            request = leader.request(BEGIN, voter_id)
            if request is None:
                leader.sleep(FETCH_TIMEOUT_MS // 2)
            else:
                leader.answer(request, self._response(voter_id, request))

    def _response(self, voter_id: int, request: Any) -> Any:
        """A voter's response to a request."""
        return self.doors[voter_id].receive(request).getNow(None).data()

    def _epoch(self, voter_id: int) -> int:
        return int(self.doors[voter_id].epoch())

    def _length(self, voter_id: int) -> int:
        return int(self.doors[voter_id].length())

    def observe(self) -> dict[str, Any]:
        """The voters as they are now. Of a voter that leads or has led the vote cannot be seen: it votes no more."""
        shown: dict[str, Any] = {}
        for voter, door in enumerate(self.doors):
            role = str(door.role())
            epoch, is_observer, voted, length, *rest = map(int, str(door.shown()).split())
            epochs, (count, *rest) = rest[:length], rest[length:]
            votes = {*rest[:count], *self.granted[voter]} if role == "candidate" else ()
            progress = rest[count:] or [0, 0, *(NO_OFFSET for _ in self.voters)]
            here = {
                "epoch": epoch,
                "is_leader": role == "leader",
                "has_resigned": role == "resigned",
                "is_observer": is_observer == 1,
                "votes": sorted(votes),
                "log.end_offset": length,
                "epoch_start_offset": progress[0],
                "high_watermark": progress[1],
            }
            if role not in ("leader", "resigned"):
                here["voted"] = None if voted < 0 else voted
            for offset in range(self.log_size):
                here[f"log.records[{offset}].epoch"] = epochs[offset] if offset < length else None
            for other in self.voters:
                here[f"end_offsets[{other}]"] = progress[2 + other]
            shown |= {f"voters[{voter}].{field}": value for field, value in here.items()}
        return shown


def _directory() -> Any:
    """The id of a new log directory."""
    return jvm.java(UUID).randomUuid()


def _lost(response: str, error: int = NOT_AVAILABLE) -> Any:
    """What a voter hears in place of a response."""
    return jvm.message(response, setErrorCode=error)


SYSTEM = RaftClient
