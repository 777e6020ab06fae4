"""Edits of Kafka's rules that only some model or setting tells: `change` finds by itself what users lose."""

import pytest

from tests.checker.change.draws import change, copied
from tests.support.command import write

SECONDS = 180

EDITS = {
    "a record is acknowledged with one replica less": (
        "impl/broker/leader.py",
        "len(isr) >= min(min_insync_replicas(metadata, rules), len(metadata.replicas))",
        "len(isr) >= min(min_insync_replicas(metadata, rules), len(metadata.replicas)) - 1",
        "acknowledged_records_survive",
    ),
    "a commit does not raise the producer epoch": (
        "impl/coordinator/transactions.py",
        "raises_epoch = has_version_2(rules, request.is_upgraded)\n    is_last",
        "raises_epoch = has_version_2(rules, request.is_upgraded) and request.marker != Marker.COMMIT\n    is_last",
        "something_is_undecided_leads_to_nothing_is_undecided",
    ),
    "a fetch of an earlier leader epoch is counted": (
        "impl/broker/fetch.py",
        "    return not is_fenced(broker, rules, fetch.leader_epoch) or not rules.counted_fetch_is_of_epoch",
        "    if fetch.broker_epoch >= metadata.broker_epochs[follower_id]:\n        return True\n"
        "    return not is_fenced(broker, rules, fetch.leader_epoch) or not rules.counted_fetch_is_of_epoch",
        "acknowledged_records_survive",
    ),
    "the high watermark awaits enough members of a proposed ISR": (
        "impl/broker/leader.py",
        "rules.high_watermark_awaits_enough and not has_enough_replicas(rules, metadata, leader.isr)",
        "rules.high_watermark_awaits_enough and not has_enough_replicas(rules, metadata, maximal_isr(leader))",
        "acknowledged_records_survive",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("edit", EDITS)
def test_what_users_lose_is_found(tmp_path, edit):
    name, old, new, lost = EDITS[edit]
    copied(tmp_path)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    write(tmp_path / name, text.replace(old, new))
    found = change(tmp_path, SECONDS, 2)
    assert found["verdict"] == "FAILS"
    failures = [each for model in found["models"] if model["is_new_loss"] for each in model["failures"]]
    outcomes = {each["name"] for each in failures if each["kind"] == "outcome" and each["before"] is None}
    assert lost in outcomes
