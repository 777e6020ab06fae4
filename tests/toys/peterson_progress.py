"""Does a process that raised its flag in Peterson's algorithm ever enter its critical section?"""

from kafkacheck.checker.model import Given, Model, each
from tests.toys.peterson import At, Memory, give_turn, leave, look_at_flag, look_at_turn, raise_flag


def first_wants(memory: Memory) -> bool:
    """Process 0 has raised its flag."""
    return memory.processes[0].flag


def first_enters(memory: Memory) -> bool:
    """Process 0 is in its critical section."""
    return memory.processes[0].at == At.CRITICAL


def progress(weakly_fair: Given) -> Model:
    """Peterson's algorithm under some fairness."""
    return Model(
        name="peterson_progress",
        state=Memory,
        actions=[raise_flag, give_turn, look_at_flag, look_at_turn, leave],
        leads_to=[(first_wants, first_enters)],
        weakly_fair=weakly_fair,
    )


MODEL = progress([each(action, "process_id") for action in (give_turn, look_at_flag, look_at_turn, leave)])
