"""Does an alternating bit bring every message across a channel that loses what it likes?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Flag, Struct


class Channel(Struct):
    """Both ends and a channel each way, for one message at a time."""

    sender_bit: Annotated[bool, Flag()]
    receiver_bit: Annotated[bool, Flag()]
    has_message: Annotated[bool, Flag()]
    message_bit: Annotated[bool, Flag()]
    has_answer: Annotated[bool, Flag()]
    answer_bit: Annotated[bool, Flag()]
    delivered: Annotated[int, Count("messages")]
    wanted: Annotated[int, Count("messages")]


def sender_sends(channel: Channel) -> bool:
    """The sender sends the message that is not answered yet, once more if need be."""
    if channel.has_message:
        return False
    if channel.wanted == 0:
        return False
    channel.has_message = True
    channel.message_bit = channel.sender_bit
    return True


def receiver_receives(channel: Channel) -> bool:
    """The receiver delivers a new message, and answers an old one as well."""
    if not channel.has_message:
        return False
    channel.has_message = False
    if channel.message_bit == channel.receiver_bit:
        channel.receiver_bit = not channel.receiver_bit
        channel.delivered += 1
    channel.has_answer = True
    channel.answer_bit = channel.message_bit
    channel.message_bit = False
    return True


def sender_hears(channel: Channel) -> bool:
    """The sender goes on to the next message when this one is answered."""
    if not channel.has_answer:
        return False
    channel.has_answer = False
    if channel.answer_bit == channel.sender_bit:
        channel.sender_bit = not channel.sender_bit
        channel.wanted -= 1
    channel.answer_bit = False
    return True


def channel_loses_message(channel: Channel) -> bool:
    """A message is lost."""
    if not channel.has_message:
        return False
    channel.has_message = False
    channel.message_bit = False
    return True


def channel_loses_answer(channel: Channel) -> bool:
    """An answer is lost."""
    if not channel.has_answer:
        return False
    channel.has_answer = False
    channel.answer_bit = False
    return True


def some_wanted(channel: Channel) -> bool:
    """There is a message to bring across."""
    return channel.wanted > 0


def start(channel: Channel) -> None:
    """Every message is still to be sent."""
    channel.wanted = 2


def all_answered(channel: Channel) -> bool:
    """Nothing is left to send."""
    return channel.wanted == 0


ENDS = [sender_sends, receiver_receives, sender_hears]


def channel(**fair: object) -> Model:
    """The channel under some fairness."""
    return Model(
        name="lossy_channel",
        state=Channel,
        bounds={"messages": 2},
        initial=start,
        actions=[*ENDS, channel_loses_message, channel_loses_answer],
        eventually=[all_answered],
        **fair,
    )


WEAKLY_FAIR = channel(weakly_fair=ENDS)
STRONGLY_FAIR = channel(strongly_fair=ENDS)
MODEL = STRONGLY_FAIR
