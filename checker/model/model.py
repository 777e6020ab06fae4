"""A model: a closed finite system as data. Every mistake in it is a ModelError when it is defined.

A model names the state's `Struct`, its initial states, the bounds that make it finite, the rules (protocol switches,
constant during a run), the actions with the domains of their parameters, and what must hold. The functions are plain
Python in the plain subset (`checker.language.subset`); this module reads them once, so that every engine can rely on
them.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from kafkacheck.checker.drawing import Lanes
from kafkacheck.checker.language import subset
from kafkacheck.checker.language.ir import BOOL, INT, NOTHING, Function, kind_type, reachable
from kafkacheck.checker.language.meanings import judged
from kafkacheck.checker.language.ranges import Analysis
from kafkacheck.checker.language.source import parameter_names
from kafkacheck.checker.language.values import ValueType
from kafkacheck.checker.model import fairness, starts
from kafkacheck.checker.model.charges import call_problem, charge_problem, charged
from kafkacheck.checker.model.definition import (
    LISTS,
    MAPPINGS,
    TYPE_OK,
    Unchanging,
    changed_list,
    check_definition,
    check_keywords,
    combination_problem,
    contradiction,
    first_sentence,
    idle_problem,
    name_problem,
)
from kafkacheck.checker.model.fairness import Fairness, Given
from kafkacheck.checker.model.parts import Action, Liveness, Measure, Parameter, Property, Protocol
from kafkacheck.checker.process import collector
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.locations import caller, place_of, short_path
from kafkacheck.checker.process.names import model_name, unknown
from kafkacheck.checker.schema import Flag, Kind, Struct, kind_of
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.layout import Layout, scalar_of
from kafkacheck.checker.schema.releases import Released
from kafkacheck.checker.schema.rules import full_name, group_of, replaced, switch_value, switches
from kafkacheck.checker.schema.schema import split_condition

NOTHING_FAIR: dict[str, Any] = {"weakly_fair": (), "strongly_fair": ()}


class Model(Unchanging):
    """A closed finite system.

    `state`: the Struct of a state. `initial`: one or several functions like actions, each applied to the blank state
    (every optional field at its sentinel, every other field at its lowest value); the states in which they do not
    return False are the initial states; None stands for the blank state itself. `bounds`: integers by name; `flags`:
    the bounds that are 0 or 1. `at_least`: by bound, another one that it may not be below. `rules`: a NamedTuple of
    enum members, ints or bools, or of such NamedTuples. `actions`: functions `(state[, rules][, bounds], *parameters)
    -> bool`. Every function may take `bounds` behind `rules`: a NamedTuple of the bounds; a property takes both at its
    end. `parameters`: kinds by parameter name, where the annotation of the parameter does not carry one or another
    domain is wanted. `charges`: by action, the allowance of the state's `budget` from which each of its steps takes 1,
    and without which it is not enabled (`checker.model.charges`); no other action calls it, because a call does not
    pay. `stuttering`: the actions that may return True and leave the state as it was: such a step is counted, judged
    and no deadlock, but fairness does not speak of it. `always`: invariants `(state[, rules])` and action properties
    `(before, after[, rules])`. `sometimes`: like invariants, each must hold in at least one reachable state.
    `eventually`: like invariants, each must hold some time in every fair behaviour; `leads_to`: pairs of them, a state
    of the first is always followed, some time, by one of the second, if it is not one itself. Their names are
    `eventually_<goal>` and `<first>_leads_to_<second>`. `weakly_fair` and `strongly_fair`: lists of actions, or of
    `each(action, parameter name, ...)`, or EVERY_ACTION or EVERY_CALL; see `checker.model.fairness`. `lemmas`: what
    helps to prove the others, as in `always`; a search checks them if it is asked to. `constraint`: states in which it
    does not hold are checked, but neither counted nor explored further. `check_deadlock`: whether a state without an
    enabled action is an error. `measures`: functions `(state[, rules]) -> int` by which `kafkacheck analyze` groups
    states. `drawing`: how steps are drawn as lanes. `name`: letters, digits and any of _ - . because it names files; by
    default the module that defines the model says it (`names.model_name`). `question`: what the model answers, by
    default the first sentence of that module's docstring. `expected`: how a check at these settings ends, such as
    "VIOLATED is_safe distinct=9" (`definition.EXPECTED`). `place`: what errors call the place of the definition. `like`
    is a model of the same state, bounds and rules, if one is known: what was read for it is not read again.

    Raises ModelError, naming the place and the mend, for every mistake that can be seen without running a step.
    """

    def __new__(cls, *positional: object, **given: object) -> "Model":
        """Checks what the model is given by which names, for which Python's own error says too little."""
        try:
            check_keywords(dict(list(inspect.signature(cls.__init__).parameters.items())[1:]), positional, given)
        except ModelError as error:
            where = caller()
            raise ModelError(f"{short_path(where.f_code.co_filename)}:{where.f_lineno}: {error}") from None
        return super().__new__(cls)

    def __init__(
        self,
        *,
        state: type[Struct],
        actions: Sequence[Protocol],
        charges: Mapping[Protocol, str] | None = None,
        stuttering: Sequence[Protocol] = (),
        bounds: Mapping[str, int] | None = None,
        flags: Sequence[str] = (),
        at_least: Mapping[str, str] | None = None,
        initial: Protocol | Sequence[Protocol] | None = None,
        rules: Any = None,
        parameters: Mapping[str, Kind | Any] | None = None,
        always: Sequence[Protocol] = (),
        sometimes: Sequence[Protocol] = (),
        eventually: Sequence[Protocol] = (),
        leads_to: Sequence[tuple[Protocol, Protocol]] = (),
        weakly_fair: Given = (),
        strongly_fair: Given = (),
        lemmas: Sequence[Protocol] = (),
        constraint: Protocol | None = None,
        check_deadlock: bool = False,
        measures: Sequence[Protocol] = (),
        drawing: Lanes | None = None,
        name: str | None = None,
        question: str | None = None,
        expected: str = "",
        place: str | None = None,
        like: "Model | None" = None,
    ) -> None:
        where = caller()
        name = model_name(where.f_globals.get("__name__", ""), where.f_code.co_filename) if name is None else name
        question = first_sentence(where.f_globals.get("__doc__")) if question is None else question
        is_new, place = place is None, place or f"{short_path(where.f_code.co_filename)}:{where.f_lineno}"
        self._place, self.name, self.question, self.drawing, self.expected = place, name, question, drawing, expected
        self.released: Released | None = None
        self.state, self.rules, self.check_deadlock, self.flags = state, rules, check_deadlock, tuple(flags)
        given: dict[str, Any] = {
            "name": name, "state": state, "actions": actions, "charges": {} if charges is None else charges,
            "stuttering": stuttering, "bounds": bounds or {}, "initial": (initial,) if callable(initial) else initial,
            "rules": rules, "parameters": parameters or {}, "always": always, "sometimes": sometimes,
            "eventually": eventually, "leads_to": leads_to, "weakly_fair": weakly_fair, "strongly_fair": strongly_fair,
            "lemmas": lemmas, "constraint": constraint, "check_deadlock": check_deadlock, "measures": measures,
            "drawing": drawing, "question": question, "expected": expected, "flags": flags, "at_least": at_least or {},
        }  # fmt: skip
        try:
            check_definition(given)
            self._bounds = Bounds(bounds or {})
        except ModelError as error:
            raise ModelError(f"{place}: {error}") from None
        copies: dict[str, Any] = {role: list(given[role]) for role in (*LISTS, "leads_to") if given[role] is not None}
        copies |= {role: dict(given[role]) for role in MAPPINGS}
        self.at_least: dict[str, str] = copies["at_least"]
        self._given, self._definition = given, given | copies | {"place": place}
        with collector.paused():
            if like is None:
                self.layout, self._ranges = Layout(state, self._bounds, given["charges"].values()), Analysis()
                self._program = subset.Program(rules, self._bounds.as_tuple())
                self._bounds_of_state = frozenset(self._bounds.used)
                for struct in self.layout.structs:
                    self._program.outside.note_struct(struct)
            else:
                self.layout, self._program, self._ranges = like.layout, like._program, like._ranges
                self._bounds_of_state = like._bounds_of_state
                self._bounds.used |= self._bounds_of_state
            self._kinds = {key: self._as_kind(value, key) for key, value in (parameters or {}).items()}
            self._used_kinds: set[str] = set()
            self.initial = tuple(self._action(function, (BOOL, NOTHING)) for function in given["initial"] or ())
            self.actions = tuple(self._action(function, (BOOL,)) for function in actions)
            if problem := fairness.listed_problem(stuttering, given["charges"] if is_new else {}, self.actions):
                raise self._error(problem)
            self.properties = tuple(self._property(function, "always", (1, 2)) for function in always)
            self.sometimes = tuple(self._property(function, "sometimes", (1,)) for function in sometimes)
            self.liveness = self._liveness(eventually, leads_to)
            self.fairness = self._fairness({"weakly_fair": weakly_fair, "strongly_fair": strongly_fair})
            self.lemmas = tuple(self._property(function, "lemmas", (1, 2)) for function in lemmas)
            self.constraint = None if constraint is None else self._property(constraint, "constraint", (1,))
            self.measures = tuple(self._measure(function) for function in measures)
            self._check_names(expected if is_new else "")
        if drawing is not None:
            takes = {each.name: tuple(parameter.name for parameter in each.parameters) for each in self.actions}
            try:
                drawing.check(self.layout.blank(), takes)
            except ModelError as error:
                raise self._error(str(error)) from None
        self._is_whole = True

    def __repr__(self) -> str:
        return f"Model({self.name!r}, bounds={self.bounds})"

    @property
    def bounds(self) -> dict[str, int]:
        """The bounds by name."""
        return dict(self._bounds.values)

    def with_bounds(self, changes: Mapping[str, int]) -> "Model":
        """The same model with some bounds changed. UsageError for an unknown bound or a value it cannot have."""
        self.require_unchanged()
        for name, value in changes.items():
            if name not in self._bounds.values:
                raise UsageError(unknown("bound", name, self.bounds, self.name))
            if not isinstance(value, int) or isinstance(value, bool):
                raise UsageError(f"bound {name} is {value!r}; a bound is a whole number")
        try:
            return self._again(bounds={**self.bounds, **changes})
        except ModelError as error:
            shown = ", ".join(f"{name}={value}" for name, value in changes.items())
            raise UsageError(f"{self.name} cannot have {shown}: {error}") from None

    def with_rules(self, changes: Mapping[str, int | str | bool]) -> "Model":
        """The same model with some switches changed; enum members by name. UsageError where one does not exist.

        A switch of a group of rules is named "group.name", or by its last part if no other has the same.
        """
        known = switches(self.rules)
        values: dict[str, int] = {}
        for given, value in changes.items():
            name = full_name(given, known)
            if name is None:
                raise UsageError(unknown("rule", given, known, self.name))
            values[name] = switch_value(known[name], value, name)
        return self._again(rules=replaced(self.rules, values)) if values else self

    def reads_rule(self, name: str) -> bool:
        """Whether some function reads a switch, given by its whole name; one that only other rules let run does not."""
        group, last = group_of(name, self.rules)
        return (id(group), last) in self._program.switches_used

    def noting(self, found: Released) -> "Model":
        """The same model, which notes what a release has done to its rules."""
        object.__setattr__(again := self._again(), "released", found)  # it is only told, and no search reads it
        return again

    def with_properties(self, names: Sequence[str]) -> "Model":
        """The same model that checks only the named properties. UsageError where one does not exist.

        "type_ok" may be named too: that every scalar stays in its range is checked of every state in any case.
        """
        judged: tuple[Property | Liveness, ...] = (*self.properties, *self.sometimes, *self.liveness)
        known = [each.name for each in judged]
        for name in names:
            if name not in known and name != TYPE_OK:
                raise UsageError(unknown("property", name, [*known, TYPE_OK], self.name))
        live = [each for each in self.liveness if each.name in names]
        return self._again(
            always=[each.function for each in self.properties if each.name in names],
            sometimes=[each.function for each in self.sometimes if each.name in names],
            eventually=[each.goal.function for each in live if each.trigger is None],
            leads_to=[(each.trigger.function, each.goal.function) for each in live if each.trigger is not None],
            **({} if live else NOTHING_FAIR),
        )

    def with_lemmas(self) -> "Model":
        """The same model that checks its lemmas, too, after its other properties."""
        return self._again(always=self._definition["always"] + self._definition["lemmas"], lemmas=[])

    def with_given_lemmas(self, lemmas: Sequence[Protocol]) -> "Model":
        """The same model with other lemmas. ModelError where they are none."""
        return self._again(lemmas=list(lemmas))

    def with_actions(self, change: Callable[[Protocol], Protocol]) -> "Model":
        """The same model with what `change` makes of each action and initial function. ModelError where it cannot be.

        Everything else that is said of them, such as what is fair, and all that is not about actions stays as it is.
        """
        changed = {each.function: change(each.function) for each in self.actions}
        given: Any = {role: fairness.of_changed(self._definition[role], changed) for role in NOTHING_FAIR}
        given["charges"] = {changed.get(each, each): name for each, name in self._definition["charges"].items()}
        given["stuttering"] = [changed[each] for each in self._definition["stuttering"]]
        given["initial"] = [change(each.function) for each in self.initial] or None
        return self._again(actions=[*changed.values()], **given)

    def observed_by(self, predicates: Sequence[Property]) -> "Model":
        """The same system, of whose states nothing but these predicates is told, as its `sometimes`."""
        none: list[Any] = []
        return self._again(
            always=none, sometimes=[each.function for each in predicates], lemmas=none, eventually=none, leads_to=none,
            measures=none, drawing=None, check_deadlock=False, **NOTHING_FAIR,
        )  # fmt: skip

    def action(self, name: str) -> Action:
        """The action of that name. UsageError where there is none."""
        for each in self.actions:
            if each.name == name:
                return each
        raise UsageError(unknown("action", name, [each.name for each in self.actions], self.name))

    def predicates(self) -> list[Property]:
        """What the liveness properties are made of, each function once."""
        parts: dict[Protocol, Property] = {}
        for live in self.liveness:
            parts |= {part.function: part for part in (live.trigger, live.goal) if part is not None}
        return list(parts.values())

    def functions(self) -> list[Function]:
        """Every function that can run, callees before callers."""
        observers = [*self.properties, *self.sometimes, *self.predicates()]
        observers += [self.constraint] if self.constraint else []
        steps = [*self.initial, *self.actions]
        return reachable([each.read for each in steps] + [each.read for each in observers])

    def initial_states(self) -> list[Any]:
        """The distinct initial states in order. EvaluationError where there is none or one is out of range."""
        return [state for _, _, state in self.initial_calls()] if self.initial else [self.layout.blank()]

    def initial_calls(self) -> list[tuple[Action, tuple[int, ...], Any]]:
        """The first call that makes each initial state, and that state; empty if it is the blank one. As above."""
        return starts.calls(self)

    def require_unchanged(self) -> None:
        """ModelError, naming the place and both values, if a function sees something else than at the definition.

        Also if a list that the model was given is another one now. Each is read once. Every search, proof and replay
        calls this when it begins, and before it answers.
        """
        self._program.outside.require_unchanged()
        if role := changed_list(self._given, self._definition):
            raise self._error(f"`{role}` has changed since `Model(...)` read it; change it before")

    def _again(self, **changes: Any) -> "Model":
        self.require_unchanged()
        is_alike = changes.keys().isdisjoint(("state", "bounds", "rules"))
        again = Model(**{**self._definition, **changes}, like=self if is_alike else None)
        object.__setattr__(again, "released", self.released)
        return again

    def _error(self, message: str, function: Protocol | None = None) -> ModelError:
        """An error in the definition, or in a function of it, with its place."""
        place, subject = (self._place, "") if function is None else (place_of(function), f"{function.__name__} ")
        return ModelError(f"{place}: model {self.name}: {subject}{message}")

    def _as_kind(self, value: Any, parameter: str) -> Kind:
        kind = value if isinstance(value, Kind) else kind_of(value)
        if kind is None:
            raise self._error(f"parameters[{parameter!r}] is {value!r}; give a kind such as Id('members')")
        return kind

    def _signature(self, function: Protocol, is_action: bool) -> tuple[list[str], tuple[Any, ...]]:
        """The parameter names without `rules` and `bounds`, and what it is given for these."""
        names = parameter_names(function)
        settings = {"rules": self.rules, "bounds": self._program.bounds}
        given = [name for name in settings if name in names]
        if "rules" in given and self.rules is None:
            raise self._error("takes `rules`, but the model has none; give `rules=...`", function)
        others = [name for name in names if name not in settings]
        in_order = [*others[:1], *given, *others[1:]] if is_action else [*others, *given]
        if names != in_order or (given and not others):
            both = ", ".join(given)
            wanted = f"(state, {both}, ...)" if is_action else f"(state, {both}) or (before, after, {both})"
            raise self._error(f"takes ({', '.join(names)}); write {wanted}", function)
        return others, tuple(settings[name] for name in given)

    def _read(self, function: Protocol, state_count: int, others: Sequence[Kind]) -> Function:
        kinds = (*[None] * state_count, *others)
        left, types = iter(kinds), list[ValueType]()
        settings = {"rules": self.rules, "bounds": self._program.bounds}
        for name in parameter_names(function):
            if name in settings:
                types.append(self._program.host(settings[name]))
                continue
            kind = next(left)
            types.append(self.layout.root if kind is None else kind_type(kind))
        return judged(self._program, self._bounds, self._program.function(function, types), kinds)

    def _action(self, function: Protocol, returns: tuple[ValueType, ...]) -> Action:
        names, given = self._signature(function, is_action=True)
        if not names:
            raise self._error(f"takes no state; an action is `def {function.__name__}(state, ...)`", function)
        parameters = self._parameters(function, names[1:])
        kinds = [parameter.kind for parameter in parameters]
        read = self._read(function, 1, kinds)
        if read.returns not in returns:
            raise self._error("must return True where it is enabled and False where not", function)
        self._check_annotations(function, names[:1], may_return_nothing=NOTHING in returns)
        domains = [None if isinstance(each.kind, Flag) else (each.low, each.high) for each in parameters]
        step, charges = function, self._definition["charges"] if NOTHING not in returns else {}
        allowance = charges.get(function, "")
        problem = charge_problem(self.layout.root, read, allowance) if allowance else ""
        if problem := problem or call_problem(read, charges):
            raise self._error(problem, function)
        if allowance:
            step = charged(function, allowance)
            read = self._read(step, 1, kinds)
        self._ranges.require_words(read, [None, *domains])
        may_stutter = function in self._definition["stuttering"]
        return Action(function.__name__, function, parameters, given, read, step, allowance, may_stutter)

    def _hints(self, function: Protocol) -> dict[str, Any]:
        """The annotations of a function by parameter."""
        try:
            return get_type_hints(function, include_extras=True)
        except Exception as error:  # an annotation may be any expression
            told = f"has an annotation that fails: {error}; import the names that its annotations use"
            raise self._error(told, function) from None

    def _check_annotations(self, function: Protocol, states: Sequence[str], may_return_nothing: bool = False) -> None:
        if problem := contradiction(self._hints(function), states, self.layout.root.struct, may_return_nothing):
            raise self._error(problem, function)

    def _parameters(self, function: Protocol, names: list[str]) -> tuple[Parameter, ...]:
        """The parameters of an action behind the state and the rules."""
        hints = {} if self._kinds.keys() >= set(names) else self._hints(function)
        return tuple(self._parameter(function, name, hints.get(name)) for name in names)

    def _parameter(self, function: Protocol, name: str, annotation: Any) -> Parameter:
        kind = self._kinds.get(name)
        if kind is None:
            try:
                if split_condition(annotation)[1] is not None:
                    raise ModelError("an If is for fields; give the parameter a kind without it")
                kind = kind_of(annotation)
            except ModelError as error:
                raise self._error(f"has a parameter {name!r}: {error}", function) from None
        else:
            self._used_kinds.add(name)
        if kind is None:
            mend = f"annotate it with a kind such as Annotated[int, Count(3)], or give parameters={{{name!r}: ...}}"
            raise self._error(f"has a parameter {name!r} without a domain; {mend}", function)
        if name not in self._kinds:
            self._program.outside.note_annotation(function, name, annotation, lambda: self._hints(function).get(name))
        scalar = scalar_of(kind, self._bounds, f"{place_of(function)}: {function.__name__}({name})")
        return Parameter(name, kind, scalar.low, scalar.high)

    def _property(self, function: Protocol, role: str, counts: tuple[int, ...]) -> Property:
        if function in self._definition["actions"]:
            raise self._error(
                f"in `{role}` is an action; give a function that only looks at a state, and returns True or False",
                function,
            )
        names, given = self._signature(function, is_action=False)
        if len(names) not in counts:
            wanted = "(state) or (before, after)" if 2 in counts else "(state)"
            raise self._error(f"in `{role}` takes {len(names)} states; write {wanted}", function)
        hints = self._hints(function)
        for name in names:
            if kind_of(hints.get(name)) is not None:
                raise self._error(
                    f"in `{role}` takes {name!r}, which is no state; only actions have parameters: write a loop over "
                    "its values instead",
                    function,
                )
        read = self._read(function, len(names), [])
        if read.returns != BOOL:
            raise self._error(f"in `{role}` must return True or False", function)
        self._check_annotations(function, names)
        if read.writes:
            raise ModelError(
                f"{read.write_place}: model {self.name}: {function.__name__} in `{role}` writes to the state; a "
                "property only observes, so compute in local names"
            )
        self._ranges.require_words(read, [None] * len(names))
        return Property(function.__name__, function, given, len(names) == 2, read)

    def _liveness(
        self, eventually: Sequence[Protocol], leads_to: Sequence[tuple[Protocol, Protocol]]
    ) -> tuple[Liveness, ...]:
        goals = [self._property(function, "eventually", (1,)) for function in eventually]
        pairs = [[self._property(function, "leads_to", (1,)) for function in pair] for pair in leads_to]
        return (
            *(Liveness(f"eventually_{goal.name}", None, goal) for goal in goals),
            *(Liveness(f"{trigger.name}_leads_to_{goal.name}", trigger, goal) for trigger, goal in pairs),
        )

    def _fairness(self, given: dict[str, Given]) -> tuple[Fairness, ...]:
        try:
            found = fairness.read(given, self.actions)
        except ModelError as error:
            raise self._error(str(error)) from None
        if found and not self.liveness:
            raise self._error(
                "it says what is fair, but has no liveness property; give `eventually` or `leads_to`, or "
                "leave out `weakly_fair` and `strongly_fair`"
            )
        return found

    def _measure(self, function: Protocol) -> Measure:
        names, given = self._signature(function, is_action=False)
        if len(names) != 1:
            raise self._error(f"in `measures` takes {len(names)} states; write (state)", function)
        read = self._read(function, 1, [])
        if read.returns != INT:
            raise self._error("in `measures` must return a number", function)
        if read.writes:
            raise ModelError(
                f"{read.write_place}: model {self.name}: {function.__name__} in `measures` writes to the state; it "
                "only counts"
            )
        self._ranges.require_words(read, [None])
        return Measure(function.__name__, function, given, read)

    def _check_names(self, expected: str) -> None:
        if not self.actions:
            raise self._error("it has no actions; give at least one")
        if problem := combination_problem(self.actions):
            raise self._error(problem)
        roles: dict[str, Sequence[Action | Property | Liveness | Measure]] = {
            "actions": self.actions,
            "always, sometimes and lemmas": (*self.properties, *self.sometimes, *self.lemmas),
            "its properties": (*self.properties, *self.sometimes, *self.liveness),
            "eventually and leads_to, as different functions": self.predicates(),
            "measures": self.measures,
        }
        taken = sorted({each.name for action in self.actions for each in action.parameters})
        unused = sorted(set(self._bounds.values) - self._bounds.used - self._program.bounds_used)
        idle = sorted({*self._kinds} - self._used_kinds)
        if problem := name_problem(roles, expected) or idle_problem(idle, taken, unused):
            raise self._error(problem)
