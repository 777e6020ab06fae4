"""F12: a fenced client of transaction version 2 is given the epoch of the client of version 1 that has replaced it.

One client takes over from another one, as if an upgrade of the clients was rolled back. The classes are Kafka's
`TransactionCoordinator` and `UnifiedLog`; the requests between clients, leader and coordinator are played here.
"""

from control import run
from transactions import VERSION_1, VERSION_2, Transactions

GUARD = 1


def revived(both: Transactions, epoch: int) -> list[str]:
    """Let the client that was fenced write a record in its new epoch, and commit; what came of it."""
    client = both.of_epoch(epoch)
    steps = [f"and is given epoch {epoch}; its record is to be verified: {both.is_to_be_verified(epoch)}"]
    steps.append(f"the leader adds the partition: {both.adds_partition(client, VERSION_2)}")
    steps.append(f"and appends it: {both.appends(epoch, GUARD + 1)}")
    steps.append(f"it commits: {both.ends(client, True, VERSION_2).error}, marker: {both.writes_marker()}")
    return steps


def main() -> None:
    """Print what coordinator and log make of it, by the version of the client that has replaced the other one."""
    for way, version in (("the new client is of version 1", VERSION_1), ("it is of version 2", VERSION_2)):
        both = Transactions()
        fenced, client = both.initializes(), both.initializes()
        steps = [f"epoch {int(fenced.producerEpoch)} is followed by epoch {int(client.producerEpoch)}"]
        both.begins_verification(int(client.producerEpoch), version)
        both.adds_partition(client, version)
        steps.append(f"the new client's record is appended: {both.appends(int(client.producerEpoch), GUARD)}")
        steps.append(f"it aborts: {both.ends(client, False, version).error}, marker: {both.writes_marker()}")
        answer = both.ends(fenced, False, VERSION_2)
        is_revived = str(answer.error) == "NONE"
        steps.append(f"the fenced client aborts with epoch {int(fenced.producerEpoch)}: {answer.error}")
        if is_revived:
            steps += revived(both, int(answer.producerEpoch))
        verdict = "happens: two clients have one epoch, finding reproduced" if is_revived else "does not happen"
        print(f"F12, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
