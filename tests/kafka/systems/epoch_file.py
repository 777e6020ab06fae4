"""Kafka's leader-epoch file as a system: `LeaderEpochFileCache` with its checkpoint file.

The cache gets a scheduler that holds what is to be done in the background, so that a late write is a step. Every
answer and every content, also that of the file, comes from Kafka's class.
"""

import json
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import jvm

MEMORY = Path("/dev/shm")
"""Where files are fastest."""
ABSENT = -1
"""What Kafka writes for no epoch, and for no offset."""
FILES = ("broker.epoch_starts", "broker.epoch_file.starts")
UNUSED = "no part of the leader-epoch file"


class EpochFile:
    """A leader-epoch file in a temporary folder."""

    observes = ("broker.epoch_starts[*]", "broker.epoch_file.starts[*]", "broker.epoch_file.is_write_due")
    answers = ("answer.epoch", "answer.end_offset", "answer.latest")
    refuses = ("file_is_written",)
    not_judged: ClassVar = {}

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
        epochs = range(model.bounds["max_leader_epoch"] + 1)
        self.paths = [f"{path}[{epoch}]" for path in FILES for epoch in epochs]
        opened = jvm.java("org.apache.kafka.storage.internals.epoch.EpochFileDoor")
        self.door = opened(self.folder.name, len(epochs))
        self.acts = tuple(model.actions)
        seen = (*FILES, "broker.epoch_file.is_write_due", *self.answers)
        self.not_judged = {path: UNUSED for path in model.fields if not path.startswith(seen)}

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty file."""
        self.door.start()
        self.answer = None

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the cache; whether it had something to do."""
        self.answer = None
        epoch = parameters.get("epoch")
        if action == "epoch_is_assigned":
            self.door.assign(epoch, parameters["start_offset"])
        elif action == "file_is_cut_at_end":
            self.door.truncateFromEnd(parameters["end_offset"])
        elif action == "file_is_cut_at_start":
            self.door.truncateFromStart(parameters["start_offset"])
        elif action == "file_is_cleared":
            self.door.clear()
        elif action == "broker_restarts":
            self.door.load()
        elif action == "file_is_written":
            return bool(self.door.runTasks())
        else:
            self.answer = self.door.endOffsetFor(ABSENT if epoch is None else epoch, parameters["log_end"])
        return True

    def observe(self) -> dict[str, Any]:
        """The epochs in memory and in the file, whether a write is due, and the last answer."""
        *starts, due = json.loads(self.door.observe())
        shown = dict(zip(self.paths, starts, strict=True))
        shown["broker.epoch_file.is_write_due"] = min(due, 1)
        if self.answer is not None:
            epoch, end_offset, latest = json.loads(self.answer)
            shown["answer.epoch"] = None if epoch == ABSENT else epoch
            shown["answer.end_offset"] = end_offset
            shown["answer.latest"] = None if latest == ABSENT else latest
        return shown


SYSTEM = EpochFile
