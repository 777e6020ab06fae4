"""The abstract group, which both protocols implement: a partition goes from one owner to the next, in order.

Part of Kafka judged: `impl/classic_group`, `impl/consumer_group` and their consumers, by their records only.
Source: KIP-62, KIP-848; refinement as in TLA+, by a history variable.
Left out, and why that is sound: which member gets which partition, because the abstract group leaves it open.

The abstract group has for each partition its last owner, that one's epoch, and whether it is the owner still. There are
four steps. A member takes a partition that nobody owns, under a newer epoch than that of the last owner; the last owner
itself may have it again under the same one. An owner goes on under a newer epoch. An owner gives a partition up. An
owner is fenced: it is the owner no more, though it may not know.

In both protocols the owner is the consumer that processes the partition and has the epoch, or the generation, that the
coordinator has for it, so that its commits are accepted. The coordinator's view is the truth: a consumer whose session
has ended goes on for a while, with the epoch of then. What a family's `refinement.py` says is that its steps are steps
of the abstract group, or leave it alone.
"""


def comes_after(epoch: int, last_epoch: int, is_successor: bool) -> bool:
    """Whether an epoch is newer than another one.

    The successor of a member has the same epoch: it has that one's place in the group, but not its id.
    """
    return epoch > last_epoch or (is_successor and epoch == last_epoch)


def may_own(member_id: int, epoch: int, is_successor: bool, is_owned: bool, last_owner: int, last_epoch: int) -> bool:
    """Whether a member may own a partition after one step of the abstract group.

    `is_owned`, `last_owner` and `last_epoch` are what the abstract group had before; `is_successor` is whether the
    member has the last owner's place.
    """
    if member_id == last_owner:
        return epoch >= last_epoch
    return not is_owned and comes_after(epoch, last_epoch, is_successor)
