"""The symbolic reading, and what is proved by it, compared with plain Python on random programs."""

import ast
import copy
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.process.errors import EvaluationError, ModelError, UsageError
from kafkacheck.checker.proofs import bmc, equivalent, prove
from kafkacheck.checker.proofs.bmc import BoundedVerdict
from kafkacheck.checker.proofs.equivalent import Same
from kafkacheck.checker.proofs.obligations import CODE, DISABLED, FORM, RANGES
from kafkacheck.checker.proofs.prove import Outcome as Proved
from kafkacheck.checker.proofs.prove import Settings
from kafkacheck.checker.proofs.solver import Translation
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.shape import Leaf
from kafkacheck.checker.symbolic import symbolic, term_values
from kafkacheck.checker.symbolic.well_formed import well_formed
from tests.fuzz.comparing import Totals, of_all
from tests.fuzz.programs import DifferenceError, imported
from tests.programs import random_states
from tests.programs.random_programs import module_text
from tests.support import readings
from tests.support.readings import Outcome
from tests.support.terms_as_run import FAILED, assignments, evaluated, outcome, read_symbolically

PROGRAMS = 2
"""How many programs of a seed are proved: the first ones of those that are compiled."""
STATES = 60
DEPTH = 3
TIMEOUT = 10.0
LIMITS = Limits(max_states=400)
SETTINGS = Settings(timeout=TIMEOUT, jobs=0, use_cache=False)


def proved_programs(seed: int, folder: Path) -> Totals:
    """Compare programs of a seed with what is proved of them. DifferenceError where something is not so."""
    more: Totals = Totals()

    def compare(number: int, model: Model) -> Outcome:
        plain = model.with_properties([each.name for each in model.properties])
        search = InterpretedSearch(plain, Watch(LIMITS))
        found = readings.outcome(search, search.run())
        reached = search.snapshot().states
        comparison = _Comparison(plain, seed, number, reached)
        comparison.formed_as_kept(reached)
        comparison.read_as_run()
        more.update(comparison.unrolled(found))
        more.update(comparison.obligations(found))
        more.update(comparison.mutated(folder))
        return found

    totals = of_all(seed, folder, range(PROGRAMS), compare)
    return totals + more


class _Comparison:
    def __init__(self, model: Model, seed: int, number: int, reached: list[Values]) -> None:
        self.model = model
        self.seed, self.number = seed, number
        self.random = random.Random(f"states {seed} {number}")
        self.evaluation = Evaluation(model)
        drawn = random_states.anywhere(model, STATES, f"states {seed} {number}")
        some = self.random.sample(reached, min(len(reached), STATES // 2))
        self.states = [tuple(map(int, values)) for values in [*drawn, *some]]
        self.parameters = {
            each.name: [tuple(self.random.choice(one.values) for one in each.parameters) for _ in self.states]
            for each in model.actions
        }
        self.run = {
            each.name: [
                outcome(each, model, values, given)
                for values, given in zip(self.states, self.parameters[each.name], strict=True)
            ]
            for each in model.actions
        }

    def differ(self, message: str) -> DifferenceError:
        return DifferenceError(self.seed, self.number, message)

    def holds(self, each: Property, *states: Values) -> bool:
        """Whether a property holds in Python; where it fails it does not."""
        try:
            return self.evaluation.holds(each, *states)
        except EvaluationError:
            return False

    # -- the form of states ------------------------------------------------------------------------------------

    def formed_as_kept(self, reached: list[Values]) -> None:
        """The states reached are well-formed, and of any others the formula says what plain Python does."""
        layout = self.model.layout
        if not layout.containers:
            return
        chance = random.Random(f"form {self.seed} {self.number}")
        drawn = [tuple(_in_range(leaf, chance) for leaf in layout.leaves) for _ in self.states]
        states = [*map(tuple, reached), *self.states, *drawn]
        term = well_formed(layout, symbolic.variables(layout))
        known = term_values.known_of(layout, np.array(states, np.int64))
        said = np.broadcast_to(term_values.evaluate([term], known)[0], len(states))
        for number, values in enumerate(states):
            is_formed = layout.canonical(values) == values
            if is_formed != said[number]:
                raise self.differ(f"well-formed: {values}: Python {is_formed}, terms {said[number]}")
            if not is_formed and number < len(reached):
                raise self.differ(f"well-formed: {values} is reached, and is not")

    # -- the terms ---------------------------------------------------------------------------------------------

    def read_as_run(self) -> None:
        """The terms of actions and properties say what they do on each state."""
        for action in self.model.actions:
            given = self.parameters[action.name]
            fault, enabled, rows = read_symbolically(self.model, action, self.states, given)
            for number, wanted in enumerate(self.run[action.name]):
                found = FAILED if fault[number] else (bool(enabled[number]), tuple(map(int, rows[number])))
                if found != wanted:
                    where = f"{action.name}{given[number]} from {self.states[number]}"
                    raise self.differ(f"symbolic: {where}: Python {wanted}, terms {found}")
        constraints = (self.model.constraint,) if self.model.constraint else ()
        for each in (*self.model.properties, *self.model.sometimes, *constraints):
            self._property_read_as_run(each)

    def _property_read_as_run(self, each: Property) -> None:
        pairs = [self.states, [*self.states[1:], self.states[0]]][: 1 + each.is_step]
        suffixes = ("", "'")[: len(pairs)]
        known = {}
        for suffix, drawn in zip(suffixes, pairs, strict=True):
            known |= assignments(self.model, np.array(drawn, np.int64), suffix)
        states = [symbolic.variables(self.model.layout, suffix) for suffix in suffixes]
        terms = [symbolic.holds(each, *states), symbolic.fails(each, *states)]
        holds, fails = evaluated(Translation(), known, terms)
        for number, values in enumerate(zip(*pairs, strict=True)):
            try:
                wanted = (self.evaluation.holds(each, *values), False)
            except EvaluationError:
                wanted = (False, True)
            if (bool(holds[number]), bool(fails[number])) != wanted:
                raise self.differ(f"symbolic: {each.name} of {values}: Python {wanted}, terms {holds[number]}")

    # -- bounded model checking --------------------------------------------------------------------------------

    def unrolled(self, found: Outcome) -> dict[str, int]:
        """A bounded check says what the search says of behaviours that are as short."""
        result = bmc.check_bounded(self.model, DEPTH, TIMEOUT)
        verdict = result.verdict
        told = f"bmc {verdict.value} depth={result.depth} {result.property or ''} {result.reason}, search {found[:5]}"
        if verdict in (BoundedVerdict.UNKNOWN, BoundedVerdict.TIMEOUT):
            return {"bmc undecided": 1}
        wrong = (BoundedVerdict.VIOLATED, BoundedVerdict.DEADLOCK, BoundedVerdict.EVALUATION_FAILED)
        finds = (Verdict.VIOLATED, Verdict.DEADLOCK, Verdict.EVALUATION_FAILED)
        if (
            found.verdict in finds
            and found.length + self._fails_in_the_next_step(found) <= DEPTH
            and verdict not in wrong
        ):
            raise self.differ(f"{told}: it misses what goes wrong")
        is_later = found.verdict in finds and found.length > DEPTH + 1
        if verdict in wrong and (found.verdict is Verdict.HOLDS or is_later):
            raise self.differ(f"{told}: nothing goes wrong so early")
        if verdict is BoundedVerdict.VIOLATED and found.verdict is Verdict.VIOLATED and result.depth != found.length:
            raise self.differ(f"{told}: the lengths differ")
        if verdict is BoundedVerdict.HOLDS and found.verdict is not Verdict.HOLDS:
            raise self.differ(f"{told}: there are longer behaviours")
        if verdict is BoundedVerdict.VIOLATED:
            self._violates(result, told)
        return {f"bmc {verdict.value}": 1}

    def _fails_in_the_next_step(self, found: Outcome) -> bool:
        """Whether a property failed on a step from the last state, which belongs to a behaviour with one state more."""
        failed = [each.name for each in self.model.properties if each.is_step and f"{each.name} failed" in found.reason]
        return found.verdict is Verdict.EVALUATION_FAILED and bool(failed)

    def _violates(self, result: bmc.BoundedResult, told: str) -> None:
        """The behaviour that is shown violates the property in Python."""
        assert result.trace is not None
        each = next(each for each in self.model.properties if each.name == result.property)
        states = [self.model.layout.flatten(step.state) for step in result.trace.steps]
        if self.holds(each, *(states[-2:] if each.is_step else states[-1:])):
            raise self.differ(f"{told}: the behaviour violates nothing")

    # -- proofs ------------------------------------------------------------------------------------------------

    def obligations(self, found: Outcome) -> dict[str, int]:
        """What is proved holds on every drawn state and in the search; what is refuted is so in Python."""
        try:
            proof = prove.prove(self.model, SETTINGS)
        except EvaluationError as error:
            if found.verdict is Verdict.EVALUATION_FAILED and not found.length:  # already the initial states fail
                return {"starts fail": 1}
            if found.reason == str(error):  # everything is proved, and what limits the states fails in a search
                return {"limits fail": 1}
            raise self.differ(f"prove says {error}, and the search {found[:4]}") from error
        if proof.is_proved and found.verdict in (Verdict.VIOLATED, Verdict.EVALUATION_FAILED) and found.length:
            raise self.differ(f"PROVED, and the search says {found[:4]}")
        invariants = list(proof.invariants)
        limiting = [self.model.constraint] if self.model.constraint else []
        assumed = [all(self.holds(each, values) for each in [*invariants, *limiting]) for values in self.states]
        wrong = set(self._wrong(assumed))
        for each in proof.checked:
            asked = each.obligation
            if each.outcome is Proved.PROVED and (asked.subject, asked.action) in wrong:
                raise self.differ(f"proved, and not so in Python: {asked.subject} after {asked.action}")
            if each.outcome is Proved.FAILED and each.failure is not None:
                self._refutes(asked.subject, asked.is_contract, each.failure, [*invariants, *limiting])
        count = {"proved": sum(each.outcome is Proved.PROVED for each in proof.checked)}
        count["refuted"] = len(proof.failed)
        return count | {"undecided": len(proof.unknown), "PROVED": int(proof.is_proved)}

    def _refutes(self, subject: str, is_contract: bool, failure: prove.Failure, assumed: list[Property]) -> None:
        if self.model.layout.canonical(failure.before) != failure.before:
            raise self.differ(f"{subject} is refuted from {failure.before}, which is not well-formed")
        if is_contract and not failure.error:
            raise self.differ(f"{subject} is refuted by {failure.call} from {failure.before}, which breaks no contract")
        if not is_contract and not all(self.holds(each, failure.before) for each in assumed):
            raise self.differ(f"{subject} is refuted from {failure.before}, where not all that is assumed holds")

    def _wrong(self, assumed: list[bool]) -> Iterator[tuple[str, str]]:
        """Each obligation, by subject and action, that does not hold on one of the drawn states."""
        for action in self.model.actions:
            for number, ran in enumerate(self.run[action.name]):
                if assumed[number]:
                    yield from ((subject, action.name) for subject in self._broken(action, number, ran))

    def _broken(self, action: Action, number: int, ran: str | tuple[bool, Values]) -> Iterator[str]:
        before = self.states[number]
        if isinstance(ran, str):
            yield CODE
            return
        enabled, after = ran
        if not enabled:
            yield from [DISABLED] if after != before else []
        elif not self.model.layout.in_range(after):
            yield RANGES
        elif self.model.layout.canonical(after) != after:
            yield FORM
        else:
            for each in self.model.properties:
                if not self.holds(each, *((before, after) if each.is_step else (after,))):
                    yield each.name

    # -- equivalence -------------------------------------------------------------------------------------------

    def mutated(self, folder: Path) -> dict[str, int]:
        """A mutant is EQUIVALENT only where it does the same on every drawn state, and else the state shows it."""
        text = mutant(module_text(self.seed, [self.number]), self.random)
        try:
            with imported(folder, f"mutant_{self.seed}_{self.number}", text) as module:
                other = getattr(module, f"model_{self.number}")()
                compared = equivalent.compare(self.model, equivalent.describe(other), timeout=TIMEOUT)
                return self._compared(other, compared)
        except (ModelError, UsageError, SyntaxError):
            return {"mutants refused": 1}

    def _compared(self, other: Model, compared: list[equivalent.Comparison]) -> dict[str, int]:
        count: Totals = Totals()
        for each in compared:
            count[f"mutants {each.same.value}"] += 1
            twin = other.action(each.action.name)
            if each.same is Same.DIFFERENT:
                if self.model.layout.canonical(each.before) != each.before:
                    raise self.differ(f"equivalent: DIFFERENT from {each.before}, which is not well-formed")
                one = outcome(each.action, self.model, each.before, each.parameters)
                two = outcome(twin, other, each.before, each.parameters)
                if one == two:
                    raise self.differ(f"equivalent: DIFFERENT from {each.before}{each.parameters}, and both give {one}")
            elif each.same is Same.EQUIVALENT:
                for values, given, ran in zip(
                    self.states, self.parameters[each.action.name], self.run[each.action.name], strict=True
                ):
                    if outcome(twin, other, values, given) != ran:
                        raise self.differ(
                            f"equivalent: EQUIVALENT, and {each.action.name}{given} from {values} differs"
                        )
        return dict(count)


def _in_range(leaf: Leaf, chance: random.Random) -> int:
    return leaf.scalar.blank if chance.random() < 0.5 else chance.randint(leaf.low, leaf.high)


def mutant(text: str, chance: random.Random) -> str:
    """The same module with one change in one of its actions or helpers."""
    tree = ast.parse(text)
    functions = [
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith(("step", "hel"))
    ]
    places = [
        node
        for function in functions
        if not function.name.startswith("step_property")
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.If)
        or (isinstance(node, ast.Constant) and type(node.value) is int)
        or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
    ]
    if places:
        _change(chance.choice(places), chance)
    return ast.unparse(ast.fix_missing_locations(tree))


def _change(node: ast.AST, chance: random.Random) -> None:
    match node:
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.BinOp():
            others = [ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor]
            if chance.random() < 0.5:
                node.left, node.right = node.right, node.left
            else:
                node.op = chance.choice(others)()
        case ast.Compare():
            node.ops[-1] = chance.choice([ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE])()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.IfExp():
            node.body, node.orelse = node.orelse, node.body
        case ast.If():
            node.test = ast.UnaryOp(ast.Not(), copy.deepcopy(node.test))
        case ast.Subscript():
            node.slice = ast.BinOp(ast.BinOp(node.slice, ast.Add(), ast.Constant(1)), ast.Mod(), ast.Constant(2))
