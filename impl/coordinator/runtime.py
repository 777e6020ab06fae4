"""The runtime of coordinators: the leader of a log's partition is the coordinator of the keys in the log.

Part of Kafka modelled: `CoordinatorRuntime` (`scheduleWriteOperation`, `scheduleLoadOperation`,
`scheduleUnloadOperation`, `CoordinatorContext`); for transactions, `TransactionStateManager.appendTransactionToLog`.
Source: apache/kafka (commit 1eb7644349); KIP-848, KIP-98.
Left out, and why that is sound: a second append while the outcome of the first is open: the log is then short of
replicas, and refuses it. A zombie's appends: no follower fetches them, so they never count.

A log of entries keeps the newest committed entry of a key, because older ones are compacted away, and behind it one
entry whose outcome is open. A coordinator fills in `appended` and calls `begin_append`. The outcome is `commit_append`,
`drop_append`, or unknown: the coordinator gives the append up, and the entry may be committed later. Each leader begins
a term (`begin_term`); a coordinator of an earlier term may not know that its term is over.

A coordinator whose log has many records of a key reads them one by one before it answers (`begin_loading`).

The two users differ in the time at which an entry takes effect. The transaction coordinator changes its memory when the
entry is committed, so it needs both entries. The group's coordinator changes its memory when it appends: its record is
a batch of a partition. Each coordinator defines the content of its entries, and how they change its memory.
"""

from typing import Protocol

from kafkacheck.checker.schema import Struct, clear, copy


class EntryLog(Protocol):
    """A log of entries, for one key; any record with these fields is one.

    coordinator_epoch: the newest term.
    is_appended: whether an entry is appended and not committed.
    """

    coordinator_epoch: int
    is_appended: bool

    @property
    def entry(self) -> Struct:
        """The newest committed entry."""

    @property
    def appended(self) -> Struct:
        """The entry that is appended and not committed; blank if there is none."""


class Loading(Protocol):
    """The progress of a coordinator that reads its log; any record with these fields is one.

    is_loading: 1 while it reads.
    next_offset: the offset that it reads next.
    """

    is_loading: int
    next_offset: int


def can_append(log: EntryLog, is_serving: bool, term: int) -> bool:
    """Whether the coordinator of that term can begin an append: its term is the newest, and no append is under way."""
    return is_serving and term == log.coordinator_epoch and not log.is_appended


def begin_append(log: EntryLog) -> None:
    """Begin to append `appended`, which the caller has filled in."""
    log.is_appended = True


def drop_append(log: EntryLog) -> None:
    """Remove the entry that is appended and not committed."""
    log.is_appended = False
    clear(log.appended)


def commit_append(log: EntryLog) -> None:
    """Make the appended entry, which all in-sync replicas have, the newest committed one."""
    copy(log.entry, log.appended)
    drop_append(log)


def begin_term(log: EntryLog, keeps_append: bool) -> None:
    """Begin the term of another leader; `keeps_append` says whether it has the entry that is not committed."""
    if keeps_append and log.is_appended:
        commit_append(log)
    drop_append(log)
    log.coordinator_epoch += 1


def begin_loading(loading: Loading) -> None:
    """Begin to read the log from its start; the caller has cleared what the coordinator knew."""
    loading.is_loading = 1
    loading.next_offset = 0


def is_loading(loading: Loading) -> bool:
    """Whether the coordinator is still reading its log (COORDINATOR_LOAD_IN_PROGRESS)."""
    return loading.is_loading != 0


def has_loaded(loading: Loading, end_offset: int) -> bool:
    """Whether the coordinator has read its log up to the end."""
    return loading.next_offset >= end_offset
