"""The fetch session: what a leader remembers of a follower's fetch, so that the next one need not say it again.

Part of Kafka modelled: `FetchSessionHandler` of the follower; `FetchSession`, `FullFetchContext` and
`IncrementalFetchContext` of the leader.
Source: KIP-227; apache/kafka (commit 1eb7644349); KAFKA-9338.
Left out, and why that is sound: what of an incremental fetch is not sent because it is as before, because leader and
follower then have the same; the epoch of a session, because a session has one request under way; sessions with several
leaders at once: a follower that turns to another leader begins anew there, and so **not covered** is one that comes
back to a session of before; that a leader drops a session for want of room, after which it is as after a restart.
"""

from kafkacheck.impl.broker.records import Broker, Fetch, FetchSession
from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.rules import ClusterRules


def begin_fetch(fetch: Fetch, session: FetchSession) -> None:
    """Let a fetch be incremental where the follower has a session with the leader that it asks."""
    if session.leader == fetch.leader:
        fetch.is_incremental = session.is_possible


def is_session_unknown(fetch: Fetch, session: FetchSession) -> bool:
    """Whether an incremental fetch is of a session that the leader does not have (FETCH_SESSION_ID_NOT_FOUND)."""
    return fetch.is_incremental == 1 and session.cached_by != fetch.leader


def is_of_this_start(fetch: Fetch, follower: Broker) -> bool:
    """Whether the follower's broker is still the one that sent the fetch, so that it reads the answer."""
    return follower.is_running and fetch.broker_epoch == follower.broker_epoch


def open_session(fetch: Fetch, session: FetchSession, follower: Broker) -> None:
    """Let a full fetch open a session, whatever its answer is; nothing happens where sessions are not modelled."""
    if fetch.is_incremental == 1 or session.is_possible == 0:
        return
    session.cached_by = fetch.leader
    if is_of_this_start(fetch, follower):
        session.leader = fetch.leader


def refuse_session(fetch: Fetch, session: FetchSession, follower: Broker) -> None:
    """Tell the follower that its session is unknown."""
    if is_of_this_start(fetch, follower):
        end_session(session)


def end_session(session: FetchSession) -> None:
    """Let the follower's next fetch be a full one."""
    session.leader = NO_LEADER


def drop_session(session: FetchSession, leader_id: int) -> None:
    """Let a leader forget a session, if it has it."""
    if session.cached_by == leader_id:
        session.cached_by = NO_LEADER


def knows_epoch(fetch: Fetch, rules: ClusterRules) -> bool:
    """Whether the leader knows in which leader epoch the follower is when it reads the fetch from the session."""
    return fetch.is_incremental == 0 or rules.session_keeps_leader_epoch
