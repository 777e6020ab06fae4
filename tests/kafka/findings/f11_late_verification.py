"""F11: a late request of a client with transaction version 2 lets a transaction of version 1 stay open for ever.

One client takes over from another one, as if an upgrade of the clients was rolled back. The classes are Kafka's
`TransactionCoordinator` and `UnifiedLog`; the requests between clients, leader and coordinator are played here.
"""

from control import run
from transactions import VERSION_1, VERSION_2, Transactions

GUARD = 1


def main() -> None:
    """Print what coordinator and log make of it, by the version of the late request."""
    for way, version in (("the late request is of version 2", VERSION_2), ("it is of version 1", VERSION_1)):
        both = Transactions()
        late, client = both.initializes(), both.initializes()
        steps = [f"epoch {int(late.producerEpoch)} is followed by epoch {int(client.producerEpoch)}"]
        both.begins_verification(int(late.producerEpoch), version)
        steps.append(f"the client adds the partition: {both.adds_partition(client, VERSION_1)}")
        both.begins_verification(int(client.producerEpoch), VERSION_1)
        steps.append(f"its batch joins the verification that the late request began: {both.is_verified(client)}")
        steps.append(f"it aborts: {both.ends(client, False, VERSION_1).error}")
        steps.append(f"marker: {both.writes_marker()}")
        steps.append(f"its batch is appended: {both.appends(int(client.producerEpoch), GUARD)}")
        both.door.timeOut()
        is_open = both.open_since() >= 0
        steps.append(f"open transaction in the partition: {is_open}; at the coordinator: {both.state()}")
        is_stuck = is_open and both.state() == "COMPLETE_ABORT" and not both.door.hasAppended()
        verdict = "happens: nobody ends it, finding reproduced" if is_stuck else "does not happen"
        print(f"F11, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
