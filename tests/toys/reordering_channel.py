"""Is the tag of a message enough to tell it from others, over a channel that loses and reorders what it likes?

With as many tags as there are messages it is. With two of them, the alternating bit, it is not: an old message with the
tag that is awaited is taken for a new one.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import AtMost, Bag, Count, Position, Struct, add, is_full, remove

Place = Annotated[int, Position("room")]
Number = Annotated[int, Count("messages")]


class Message(Struct):
    """What the sender sends: the tag is all that the receiver looks at."""

    tag: Annotated[int, Count("tags - 1")]
    number: Number


class Answer(Struct):
    """Which tag the receiver has seen."""

    tag: Annotated[int, Count("tags - 1")]


class Channel(Struct):
    """Both ends, and a bag each way."""

    answered: Number
    delivered: Number
    last: Number
    messages: Annotated[Bag[Message], AtMost("room")]
    answers: Annotated[Bag[Answer], AtMost("room")]


class Bounds(NamedTuple):
    """How much there is of what."""

    messages: int
    tags: int
    room: int


def sender_sends(channel: Channel, bounds: Bounds) -> bool:
    """The sender sends the message that is not answered yet, once more if need be."""
    if channel.answered == bounds.messages or is_full(channel.messages):
        return False
    add(channel.messages, Message(number=channel.answered + 1, tag=channel.answered % bounds.tags))
    return True


def receiver_receives(channel: Channel, bounds: Bounds, place: Place) -> bool:
    """The receiver delivers the message whose turn it is by its tag, and answers every one."""
    if place >= len(channel.messages) or is_full(channel.answers):
        return False
    message = channel.messages[place]
    if message.tag == channel.delivered % bounds.tags and channel.delivered < bounds.messages:
        channel.delivered += 1
        channel.last = message.number
    add(channel.answers, Answer(tag=message.tag))
    remove(channel.messages, place)
    return True


def sender_hears(channel: Channel, bounds: Bounds, place: Place) -> bool:
    """The sender goes on to the next message when this one is answered."""
    if place >= len(channel.answers):
        return False
    if channel.answers[place].tag == channel.answered % bounds.tags and channel.answered < bounds.messages:
        channel.answered += 1
    remove(channel.answers, place)
    return True


def channel_loses_message(channel: Channel, place: Place) -> bool:
    """A message is lost."""
    if place >= len(channel.messages):
        return False
    remove(channel.messages, place)
    return True


def channel_loses_answer(channel: Channel, place: Place) -> bool:
    """An answer is lost."""
    if place >= len(channel.answers):
        return False
    remove(channel.answers, place)
    return True


def delivered_in_order(channel: Channel) -> bool:
    """What was delivered last is the message whose turn it was."""
    return channel.last == channel.delivered


def none_ahead(channel: Channel) -> bool:
    """No message is sent before the one before it was delivered."""
    return all(message.number <= channel.delivered + 1 for message in channel.messages)


def channel(tags: int) -> Model:
    """The channel for so many tags."""
    return Model(
        name="reordering_channel",
        state=Channel,
        bounds={"messages": 3, "tags": tags, "room": 2},
        actions=[sender_sends, receiver_receives, sender_hears, channel_loses_message, channel_loses_answer],
        always=[delivered_in_order, none_ahead],
    )


MODEL = channel(tags=3)
ALTERNATING_BIT = channel(tags=2)
