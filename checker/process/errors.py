"""The errors a user can cause, each with the exit status of the command line.

Every message says the value that was met, what was expected, and what to do about it.
"""

from kafkacheck.checker.process import statuses

NEITHER = "this is a bug in kafkacheck: trust neither answer, and report it with the model"
"""How the message ends after two answers that cannot both be true."""


class KafkacheckError(Exception):
    """Base of all errors that are reported without a traceback; `exit_status` is the process's exit status."""

    exit_status = statuses.REFUSED


class UsageError(KafkacheckError):
    """A command, option, value or file that cannot be used (exit status 2)."""

    exit_status = statuses.REFUSED


class ModelError(KafkacheckError):
    """A model that is not well-formed: schema, plain subset, names or bounds (exit status 150)."""

    exit_status = statuses.NOT_WELL_FORMED


class EvaluationError(KafkacheckError):
    """Protocol code that failed or broke its contract while a state was evaluated (exit status 75)."""

    exit_status = statuses.EVALUATION_FAILED


class SelfCheckError(KafkacheckError):
    """Two answers of kafkacheck to one question that cannot both be true (exit status 70): it is wrong somewhere.

    `details` are lines that say more than fits into a message, such as a whole state.
    """

    exit_status = statuses.INTERNAL_ERROR

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message, details)  # both, because an error that comes from another process is made of them
        self.details = details

    def __str__(self) -> str:
        return f"{self.args[0]}; {NEITHER}"


class NotExhaustedError(KafkacheckError):
    """A search that ended before every state was visited, if nothing less is of use (exit status 20)."""

    exit_status = statuses.NOT_EXHAUSTED
