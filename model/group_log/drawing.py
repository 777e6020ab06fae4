"""How behaviours of a group's log are drawn: the coordinator that writes it, the log, and the one that reads it."""

from kafkacheck.checker.drawing import Event, ExtraLane, Held, Lanes

GROUP_LOGS = Lanes(
    array="group.consumer.members",
    title="member {lane}",
    text="{state}, epoch {member_epoch}",
    held=Held(ids=("assigned", "pending_revocation"), text="partition"),
    extra=(
        ExtraLane(name="coordinator", record="group", text="{group.type}, epoch {group.consumer.group_epoch}"),
        ExtraLane(name="log", record="log", text="cleaned up to {log.cleaned_to}"),
        ExtraLane(
            name="new coordinator",
            record="loader",
            text="{loader.group.type}, epoch {loader.group.consumer.group_epoch}\ncannot read on: {loader.has_failed}",
        ),
    ),
    events={
        "consumer_joins": Event(at="member_id", to="coordinator", text="joins"),
        "consumer_acknowledges": Event(at="member_id", to="coordinator", text="owns its assignment"),
        "consumer_leaves": Event(at="member_id", to="coordinator", text="leaves"),
        "session_ends": Event(at="coordinator", to="log", text="the session of member {member_id} ends"),
        "group_is_deleted": Event(at="coordinator", to="log", text="the group is deleted"),
        "log_is_cleaned": Event(at="log", text="cleaned up to {end}"),
        "coordinator_changes": Event(at="new coordinator", text="begins to read"),
        "coordinator_reads_write": Event(at="log", to="new coordinator", text="write {before.loader.next_write}"),
    },
    suspects=("member_id",),
    legend=("A coloured bar: the coordinator that writes the log has given the partition to the member.",),
)
