"""The exit statuses of the program, but for those that an error carries itself (`checker.errors`)."""

UNEXPECTED = 1
"""`check` of several models: some verdict is not the expected one."""
NO_LONGER_APPLIES = 1
"""`replay`: a step of the trace is not possible on today's code, or leads elsewhere."""
REFUSED = 2
"""The system refused something that the command needs."""
DEADLOCK = 11
INVARIANT_VIOLATED = 12
STEP_VIOLATED = 13
NOT_EXHAUSTED = 20
"""A limit, Ctrl-C or lack of memory ended the command before it was done."""
VACUOUS = 21
UNEXPLAINED = 22
"""`guards`: some guard is not explained, or one is listed with a reason that it no longer needs."""
INTERNAL_ERROR = 70
EVALUATION_FAILED = 75
PIPE_CLOSED = 141
"""What a shell says of a program that ends because nobody reads its output any more."""
