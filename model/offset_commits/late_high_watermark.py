"""How can a fetch tell an older offset than a client was told before, after an election?

A new leader may know less to be committed than the former one. The coordinator answers plain fetches by what it knows
to be committed.

Bounds: those of offset_commits, with two writes.
Expected: VIOLATED fetches_know_what_was_told
"""

from kafkacheck.model.offset_commits import environment, family, system

MODEL = family.OFFSET_COMMITS.model(
    rules=family.MENDED._replace(new_coordinator_awaits_high_watermark=False),
    bounds={"partitions": 1, "log_writes": 2, "coordinator_moves": 1, "late_high_watermarks": 1},
    actions=[environment.client_commits, system.client_fetches, *family.COMMITTED, *family.LOADING, *family.LATE],
    stuttering=[system.client_fetches],
)
