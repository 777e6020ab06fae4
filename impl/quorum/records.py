"""One voter of the metadata quorum, with its metadata log.

Part of Kafka modelled: `QuorumState` with its `quorum-state` file, `LeaderState`, and `ReplicatedLog`.
Source: apache/kafka (commit 1eb7644349), raft; KIP-595, KIP-853.
Left out, and why that is sound: the content of records: one epoch has one leader, so epoch and offset identify a
record. If voters restart, this is not given but must be shown, so records have an id, too.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Id, Ids, IdSet, Struct
from kafkacheck.impl.ids import NO_OFFSET, LeaderEpoch, LogOffset, OptionalOffset
from kafkacheck.impl.log import Log

NO_VOTER = -1
"""The voter has voted for nobody in its epoch."""

VoterId = Annotated[int, Id("voters")]
OptionalVoterId = Annotated[int, Id("voters", none=NO_VOTER)]
VoterSet = Annotated[Ids, IdSet("voters")]


class Voter(Struct):
    """One voter of the quorum.

    epoch: the newest epoch in which it has voted, followed or led; on the disk.
    is_leader: whether it believes that it leads in that epoch.
    has_resigned: whether it led in that epoch and leads no more; on the disk, as the id of that epoch's leader.
    voted: the candidate that got its vote in that epoch; on the disk. Only elections in steps write it.
    is_observer: whether the voter set has another directory id for it, so that nobody counts it. Only elections in
        steps read it.
    votes: for a candidate, the voters that have voted for it; empty otherwise.
    log: the metadata log.
    epoch_start_offset: for a leader, the offset of the LeaderChange record of its epoch, below its log's end; 0
        otherwise.
    high_watermark: for a leader, the end of the records that it knows to be committed, at most its log's end; 0
        otherwise.
    end_offsets: for a leader, by voter, the voter's last fetch offset in this epoch; `NO_OFFSET` otherwise.
    """

    epoch: LeaderEpoch
    is_leader: bool
    has_resigned: bool
    voted: OptionalVoterId
    is_observer: bool
    votes: VoterSet
    log: Log
    epoch_start_offset: LogOffset
    high_watermark: LogOffset
    end_offsets: Annotated[Array[OptionalOffset], ById("voters")]


def step_down(voter: Voter) -> None:
    """Stop being leader or candidate, and clear the fields of both."""
    voter.is_leader = False
    voter.votes = Ids()
    voter.epoch_start_offset = 0
    voter.high_watermark = 0
    for other_id in range(len(voter.end_offsets)):
        voter.end_offsets[other_id] = NO_OFFSET


def enter_epoch(voter: Voter, epoch: int) -> None:
    """Move the voter to another epoch, in which it has not voted."""
    step_down(voter)
    voter.epoch = epoch
    voter.voted = NO_VOTER
    voter.has_resigned = False
