"""How behaviours of committed offsets are drawn: the groups as their coordinator has them, and the log."""

from kafkacheck.checker.drawing import Event, ExtraLane, Lanes

AT_LOG = "log"

COMMITTED_OFFSETS = Lanes(
    array="coordinator.written.groups",
    title="group {lane}",
    text="{group.type}, epoch {group.epoch}",
    extra=(
        ExtraLane(name="clients", record="last", text="{last.error}"),
        ExtraLane(
            name="log",
            record="partition",
            text="leader epoch {partition.leader_epoch}\nhigh watermark {partition.high_watermark}",
        ),
    ),
    events={
        "client_commits": Event(at="clients", to="group_id", text="commits {offset} for {named}"),
        "member_commits": Event(at="clients", to="group_id", text="commits {offset} for {named}, epoch {member_epoch}"),
        "client_commits_too_much": Event(
            at="clients", to="group_id", text="commits {offset} for {named}, too much for {too_large}"
        ),
        "producer_commits_offsets": Event(
            at="clients", to="group_id", text="producer {producer_id} commits {offset} for {named}"
        ),
        "transaction_ends": Event(at=AT_LOG, text="the transaction of {producer_id} ends, commits: {commits}"),
        "client_fetches": Event(at="clients", to="group_id", text="fetches {partition_id}: {last.offset}"),
        "client_fetches_stable": Event(at="clients", to="group_id", text="fetches {partition_id}, stable"),
        "coordinator_answers_fetch": Event(at="clients", text="has the stable offset"),
        "offsets_are_deleted": Event(at="clients", to="group_id", text="deletes the offsets of {named}"),
        "topic_is_deleted": Event(at="clients", to="group_id", text="topic {partition_id} is deleted"),
        "group_is_deleted": Event(at="clients", to="group_id", text="deletes the group"),
        "offsets_expire": Event(at="group_id", to="log", text="offsets expire: {last.expired}"),
        "retention_passes": Event(at=AT_LOG, text="the retention passes"),
        "record_is_replicated": Event(at=AT_LOG, text="high watermark {partition.high_watermark}"),
        "coordinator_learns_high_watermark": Event(
            at=AT_LOG, to="clients", text="answers what is below {coordinator.committed_to}"
        ),
        "member_commits_in_transaction": Event(
            at="clients",
            to="group_id",
            text="producer {producer_id} commits {offset} for {named}, epoch {member_epoch}",
        ),
        "coordinator_moves": Event(at=AT_LOG, text="another leader with {kept} writes"),
        "deposed_coordinator_ends_write": Event(at="clients", text="the deposed coordinator answers"),
        "new_leader_knows_less": Event(at=AT_LOG, text="knows only {known} writes to be committed"),
        "coordinator_reads_write": Event(at=AT_LOG, text="is read up to {coordinator.next_offset}"),
        "coordinator_ends_loading": Event(at=AT_LOG, text="is loaded"),
        "log_is_cleaned": Event(at=AT_LOG, text="cleaned up to {end}"),
        "member_joins": Event(at="group_id", to="log", text="a member joins, subscribed to {subscribed}"),
        "member_subscribes": Event(at="group_id", to="log", text="the member subscribes to {subscribed}"),
        "rebalance_ends": Event(at="group_id", to="log", text="the rebalance ends"),
        "member_leaves": Event(at="group_id", to="log", text="the member leaves"),
    },
    suspects=("group_id",),
    legend=("An offset of 0 is none.",),
)
