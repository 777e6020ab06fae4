"""A queue in a ring of slots, to run beside the model `bounded_queue`. It has a fault."""

from typing import Any, ClassVar


class RingBuffer:
    """A queue whose items stay where they are put; `head` is the slot of the oldest one."""

    def __init__(self, capacity: int) -> None:
        self.slots: list[int | None] = [None] * capacity
        self.head, self.length, self.closed = 0, 0, False

    def put(self, item: int) -> bool:
        """Add an item at the end; whether there was room."""
        if self.closed or self.length == len(self.slots):
            return False
        self.slots[(self.head + self.length) % len(self.slots)] = item
        self.length += 1
        return True

    def take(self) -> int | None:
        """Remove the oldest item, if there is one."""
        if self.length == 0:
            return None
        item = self.slots[self.head]
        self.length -= 1
        self.head += 1
        if self.head > len(self.slots):  # the fault: the ring ends one slot earlier
            self.head = 0
        return item


class RingBufferSystem:
    """How `conform` drives a ring buffer, and reads it."""

    observes = ("length", "items", "last_taken")
    acts = ("put", "take", "close")
    refuses = ("put", "take")
    not_judged: ClassVar = {"closed": "the buffer tells nobody whether it is closed"}

    def __init__(self, model: Any) -> None:
        self.capacity = model.bounds["capacity"]

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty buffer."""
        self.buffer, self.taken = RingBuffer(self.capacity), None

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Do what the action says; whether the buffer did it."""
        if action == "put":
            return self.buffer.put(parameters["item"])
        if action == "close":
            self.buffer.closed = True
            return True
        item = self.buffer.take()
        self.taken = self.taken if item is None else item
        return item is not None

    def observe(self) -> dict[str, Any]:
        """The items from the oldest to the newest, and the one that was taken last."""
        slots, head, length = self.buffer.slots, self.buffer.head, self.buffer.length
        items = {f"items[{place}]": slots[(head + place) % len(slots)] for place in range(length)}
        return {"length": length, "last_taken": self.taken, **items}


SYSTEM = RingBufferSystem
