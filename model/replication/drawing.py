"""How behaviours of the replication models are drawn: the controller and each broker as a lane, logs as cells.

`next_record_id` is not drawn, because each record shows its id where it is written.
"""

from kafkacheck.checker.drawing import Band, Cells, Event, ExtraLane, Lanes

REPLICATION_LANES = Lanes(
    array="replicas",
    title="broker {lane}",
    text="HW {high_watermark}  epoch {leader_epoch}  leader {leader}  ISR {isr}",
    cells=Cells(
        items="log.records",
        length="log.end_offset",
        text="r{id} e{epoch}",
        marker="high_watermark",
        shaded="committed",
        cut="truncates away",
    ),
    band=Band(holder="leader", text="leads, epoch {leader_epoch}", colour="leader_epoch"),
    extra=(
        ExtraLane(
            name="controller",
            record="quorum",
            text="epoch {quorum.leader_epoch}  leader {quorum.leader}  ISR {quorum.isr}",
        ),
    ),
    events={
        "controller_elect_leader": Event(
            at="controller",
            to="new_leader_id",
            text="elects broker {new_leader_id}, epoch {quorum.leader_epoch}",
            asks=True,
        ),
        "controller_shrink_isr": Event(
            at="controller", text="broker {replica_id} leaves ISR, epoch {quorum.leader_epoch}"
        ),
        "become_leader": Event(
            at="controller",
            to="leader_and_isr_requests[leader_epoch].leader",
            text="LeaderAndIsr epoch {leader_epoch}: leads",
        ),
        "become_follower": Event(
            at="controller",
            to="follower_id",
            text="LeaderAndIsr epoch {leader_epoch}: follows broker {replicas[follower_id].leader}",
        ),
        "leader_write": Event(at="leader_id", text="writes r{record_id}"),
        "leader_inc_high_watermark": Event(
            at="leader_id",
            text="high watermark rises to {replicas[leader_id].high_watermark}: record "
            "r{replicas[leader_id].log.records[before.replicas[leader_id].high_watermark].id} is committed",
        ),
        "leader_shrink_isr": Event(at="leader_id", to="controller", text="broker {follower_id} leaves ISR"),
        "leader_expand_isr": Event(at="leader_id", to="controller", text="broker {follower_id} joins ISR"),
        "follower_replicate": Event(
            at="replicas[follower_id].leader",
            to="follower_id",
            text="fetch from offset {before.replicas[follower_id].log.end_offset}",
        ),
        "follower_truncate": Event(
            at="replicas[follower_id].leader", to="follower_id", text="fetch finds diverging logs"
        ),
    },
    suspects=("leader_id", "member_id"),
    place="offset",
    legend=(
        "r0 e1: record 0, first appended in leader epoch 1. Black bar: the high watermark; the green records below it "
        "are committed. Coloured line: the broker believes that it leads.",
        "Dashed arrow: LeaderAndIsr is sent; a broker may receive it at any later time, or never. Red x: records are "
        "truncated; solid red: although a broker has them as committed.",
    ),
)
