"""The errors a user can cause, each with the exit status of the command line.

Every message says the value that was met, what was expected, and what to do about it.
"""


class KafkacheckError(Exception):
    """Base of all errors that are reported without a traceback; `exit_status` is the process's exit status."""

    exit_status = 2


class UsageError(KafkacheckError):
    """A command, option, value or file that cannot be used (exit status 2)."""

    exit_status = 2


class ModelError(KafkacheckError):
    """A model that is not well-formed: schema, plain subset, names or bounds (exit status 150)."""

    exit_status = 150


class EvaluationError(KafkacheckError):
    """Protocol code that failed or broke its contract while a state was evaluated (exit status 75)."""

    exit_status = 75


class SelfCheckError(EvaluationError):
    """Two readings do not tell the same: a bug in kafkacheck, and no answer of it is to be trusted (status 70)."""

    exit_status = 70


class NotExhaustedError(KafkacheckError):
    """A search that ended before every state was visited, where nothing less is of use (exit status 20)."""

    exit_status = 20
