"""All exit statuses of the program, and what each means.

`checker/README.md` and the help of every command show `TABLE`. An error of `checker.process.errors` carries one
of these.
"""

import textwrap

DONE = 0
UNEXPECTED = 1
"""`check` of several models: some verdict is not the expected one."""
NO_LONGER_APPLIES = 1
"""`replay`: a step of the trace is not possible on today's code, or leads elsewhere."""
CANNOT_CONVERGE = 1
"""`analyze --converge`: some state cannot converge."""
REFUSED = 2
"""The command, or something that it names, is wrong; or the system refused something that the command needs."""
DEADLOCK = 11
INVARIANT_VIOLATED = 12
STEP_VIOLATED = 13
NOT_EXHAUSTED = 20
"""A limit, a request to end or lack of memory ended the command before it was done."""
VACUOUS = 21
UNEXPLAINED = 22
"""`guards`: some guard is not explained, or one is listed with a reason that it no longer needs."""
DIFFERENT = 23
"""`conform`: the system differs from the model, or a difference is listed that does not occur; `explain`: no behaviour
of the model explains the log."""
UNREACHED = 24
"""`change`: no model comes to an edited definition or line."""
INTERNAL_ERROR = 70
EVALUATION_FAILED = 75
BY_SIGNAL = 128
"""Plus the number of the signal that ended the process at once, as in a shell."""
PIPE_CLOSED = 141
"""The status that a shell gives a program whose reader has closed the pipe."""
NOT_WELL_FORMED = 150

TABLE: tuple[tuple[tuple[int, ...], str], ...] = (
    (
        (DONE,),
        "the verdict is HOLDS or PROVED, or the command has done its work; `check` of several models: every verdict "
        "is the expected one; `explore`: the graph is written whole, even if it violates properties",
    ),
    (
        (UNEXPECTED,),
        "`check` of several models: some verdict is not the expected one, or one holds only because something that "
        "should be possible never happens; `replay`: the schedule no longer applies; `bugs`: one is not found, or not "
        "gone with its fix; `analyze --converge`: some state cannot",
    ),
    ((REFUSED,), "the command, an option, a value, a file or stdout cannot be used"),
    ((DEADLOCK,), "a state without an enabled action, in a model that forbids it"),
    (
        (INVARIANT_VIOLATED,),
        "an invariant is violated; `equivalent`: an action differs; `change`: something fails that did not",
    ),
    ((STEP_VIOLATED,), "a property of steps, or a liveness property, is violated"),
    (
        (NOT_EXHAUSTED,),
        "not exhausted or not proved: a limit, Ctrl-C, SIGTERM, SIGHUP or lack of memory ended the command, after "
        "it printed its results until then; a lemma is missing; `prove` was asked about no property; `bmc` found "
        "nothing up to its depth",
    ),
    ((VACUOUS,), "`--strict`: the model holds only because something that should be possible never happens"),
    ((UNEXPLAINED,), "`guards`: a guard is unexplained, or listed with a reason that it does not need"),
    (
        (DIFFERENT,),
        "`conform`: the system differs from the model, or a difference is listed that does not occur; `replay "
        "--system`: it still differs; `explain`: no behaviour explains the log",
    ),
    ((UNREACHED,), "`change`: no model comes to an edited definition or line, so that it was not judged"),
    ((INTERNAL_ERROR,), "a bug in kafkacheck, which its own checks may have found"),
    ((EVALUATION_FAILED,), "the model's code failed, broke its contract, or ended the process while it was at work"),
    ((NOT_WELL_FORMED,), "the model is not well-formed, or importing its file fails or ends the process"),
    ((PIPE_CLOSED,), "the reader of the output closed it"),
    (
        (BY_SIGNAL + 2, BY_SIGNAL + 3, BY_SIGNAL + 9),
        "ended at once by a signal, 128 and its number: a second Ctrl-C; SIGQUIT, after the place of every thread; "
        "SIGKILL, which the system sends if memory runs out",
    ),
)
"""The statuses, each with its meaning."""


def help_text() -> str:
    """The table as the end of a command's help, in lines of at most 120 letters."""
    lines = ["", "\b", "Exit status:"]
    for statuses, meaning in TABLE:
        first, *others = textwrap.wrap(meaning.replace("`", ""), 108)
        lines.append(f"  {', '.join(map(str, statuses)):<9}{first}")
        lines += [f"{'':11}{other}" for other in others]
    return "\n".join([*lines, ""])


def markdown() -> str:
    """The table as checker/README.md has it."""
    rows = [f"| {', '.join(map(str, statuses))} | {meaning} |" for statuses, meaning in TABLE]
    return "\n".join(["| exit status | meaning |", "| --- | --- |", *rows, ""])
