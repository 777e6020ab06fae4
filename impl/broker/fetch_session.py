"""The fetch session: a leader remembers a follower's fetch, so that the next fetch need not repeat it.

Part of Kafka modelled: `FetchSessionHandler` of the follower; `FetchSession`, `FullFetchContext` and
`IncrementalFetchContext` of the leader.
Source: KIP-227; apache/kafka (commit 1eb7644349); KAFKA-9338.
Left out, and why that is sound: the unchanged fields that an incremental fetch omits, because leader and follower then
have the same values; the epoch of a session, because a session has one request in flight; a leader that drops a session
because its cache is full, which has the effect of a restart; sessions with several leaders at once: a follower that
turns to another leader opens a new session there. **Not covered**: a follower that returns to its old session.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.rules import ClusterRules


def begin_fetch(fetch: Fetch, session: FetchSession, bounds: Bounds) -> None:
    """Make a fetch incremental if the follower has a session with the leader that it asks."""
    if session.leader == fetch.leader:
        fetch.is_incremental = bounds.fetch_sessions


def is_session_unknown(fetch: Fetch, session: FetchSession) -> bool:
    """Whether an incremental fetch belongs to a session that the leader does not have (FETCH_SESSION_ID_NOT_FOUND)."""
    return fetch.is_incremental == 1 and session.cached_by != fetch.leader


def reads_answer(fetch: Fetch, follower: Broker) -> bool:
    """Whether the follower runs and has not restarted since it sent the fetch, so that it reads the answer."""
    return follower.is_running and fetch.broker_epoch == follower.broker_epoch


def accept_session(fetch: Fetch, session: FetchSession, bounds: Bounds, is_read: bool) -> bool:
    """Look up or open the session of a fetch that has arrived; return whether the fetch is answered.

    A full fetch opens a session, regardless of its answer, unless sessions are not modelled. An incremental fetch of a
    session that the leader does not have ends the session and is not answered. `is_read` says whether the follower
    reads the answer; if so, its side of the session changes at once.
    """
    if is_session_unknown(fetch, session):
        if is_read:
            end_session(session)
        clear(fetch)
        return False
    if fetch.is_incremental == 0 and bounds.fetch_sessions == 1:
        session.cached_by = fetch.leader
        if is_read:
            session.leader = fetch.leader
    return True


def end_session(session: FetchSession) -> None:
    """Make the follower's next fetch a full one."""
    session.leader = NO_LEADER


def drop_session(session: FetchSession, leader_id: int) -> None:
    """Make a leader forget a session, if it has it."""
    if session.cached_by == leader_id:
        session.cached_by = NO_LEADER


def knows_epoch(fetch: Fetch, rules: ClusterRules) -> bool:
    """Whether the leader knows the follower's leader epoch when it reads the fetch."""
    return fetch.is_incremental == 0 or rules.session_keeps_leader_epoch
