"""Work that this thread waits for and may give up: it looks at the clock and at Ctrl-C meanwhile."""

import contextlib
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.process.memory import THREAD, require

SECONDS_BETWEEN_LOOKS = 0.1

Answer = TypeVar("Answer")


class FailedError(Exception):
    """Why a level could not be finished; levels that were committed stay."""


class Job(Generic[Answer]):
    """Work in a thread of its own. `cancel` asks it to end; `explain` says in words why it failed."""

    def __init__(
        self, work: Callable[[], Answer], cancel: Callable[[], None], explain: Callable[[BaseException], str]
    ) -> None:
        self._work, self._cancel, self._explain = work, cancel, explain
        self._answers: list[Answer] = []
        self._error: BaseException | None = None

    def wait(self, reason_to_stop: Callable[[], str]) -> Answer:
        """The answer; FailedError if there is a reason to stop, or the work fails.

        KafkacheckErrors of the work are raised as they are. If the work was given up, it goes on until it
        heeds `cancel`, and the process does not end before.
        """
        require(THREAD)
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(SECONDS_BETWEEN_LOOKS)
                reason = reason_to_stop()
                if reason and thread.is_alive():
                    raise FailedError(reason)
        except BaseException:
            with contextlib.suppress(Exception):  # the work may have ended already
                self._cancel()
            raise
        if isinstance(self._error, KafkacheckError):
            raise self._error
        if self._error is not None:
            raise FailedError(self._explain(self._error)) from self._error
        return self._answers[0]

    def _run(self) -> None:
        try:
            self._answers.append(self._work())
        except BaseException as error:
            self._error = error
