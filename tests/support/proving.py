"""What the tests of proofs share: settings, what failed, and lemmas in reached states."""

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.proofs.houdini import true_everywhere
from kafkacheck.checker.proofs.prove import Proof, Settings
from kafkacheck.checker.proofs.reached import explore

ALONE = Settings(jobs=0, use_cache=False)


def names_of(proof: Proof) -> set[tuple[str, str]]:
    """What is not proved, each with the action behind which it may break."""
    return {(each.obligation.subject, each.obligation.action) for each in proof.failed}


def check_lemmas(name: str) -> None:
    """Each lemma of a model of the catalogue holds in every state that a search reaches."""
    model = catalogue.find_model(name)
    reached = explore(model.with_properties(()), Limits())
    assert reached.is_complete
    assert true_everywhere(model, model.lemmas, reached) == list(model.lemmas)
