"""What a model may be defined with: the type of each argument, before anything is read in it."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter
from types import FunctionType
from typing import Any

from kafkacheck.checker.drawing import Lanes
from kafkacheck.checker.language.outside import rule_problem
from kafkacheck.checker.model.parts import Action
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import shown
from kafkacheck.checker.process.names import a_or_an, did_you_mean, nearest, shortened
from kafkacheck.checker.schema import Struct
from kafkacheck.checker.schema.plain_values import int_problem
from kafkacheck.checker.schema.rules import is_group

LONGEST_NAME = 60
MOST_COMBINATIONS = 100_000
TYPE_OK = "type_ok"
"""The name of the property that every model has: each scalar is in its declared range."""

NAME = re.compile(rf"[^\W_][\w.-]{{0,{LONGEST_NAME - 1}}}")
EXPECTED = re.compile(r"(HOLDS|DEADLOCK|VIOLATED \w+)((?: (?:trace|distinct|generated|excluded|depth)=[0-9]+)*)")
"""What a model may expect: the beginning of a closing line, with none, some or all of these counts."""
LISTS = ("actions", "stuttering", "initial", "always", "sometimes", "eventually", "lemmas", "measures")
MAPPINGS = ("bounds", "at_least", "parameters", "charges")


class Unchanging:
    """What stays as it was defined. ModelError for each attempt to change an attribute once `_place` is known."""

    _place = ""
    _is_whole = False

    def __setattr__(self, name: str, value: object) -> None:
        if self._is_whole:
            raise self._refusal(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise self._refusal(name)

    def _refusal(self, name: str) -> ModelError:
        return ModelError(
            f"{self._place}: `{name}` of a model cannot change after `Model(...)`, because nothing would read it; give "
            "it there, or make another model by with_bounds, with_rules or with_properties"
        )


def changed_list(given: Mapping[str, Any], read: Mapping[str, Any]) -> str:
    """The role of a list or mapping that has changed since a model that was given it read it; "" if none has."""
    roles = (role for role in (*LISTS, *MAPPINGS, "leads_to") if given[role] is not None)
    return next((role for role in roles if type(read[role])(given[role]) != read[role]), "")


def check_keywords(taken: Mapping[str, Parameter], positional: Sequence[object], given: Iterable[str]) -> None:
    """Raise ModelError where `Model(...)` is given what it does not take, or lacks what it needs."""
    if positional:
        raise ModelError("Model takes its arguments by name; write Model(state=..., actions=[...])")
    for name in given:
        if name not in taken:
            raise ModelError(
                f"Model takes no {shortened(name)!r}{did_you_mean(name, taken)}; it takes {', '.join(taken)}"
            )
    missing = [name for name, each in taken.items() if each.default is Parameter.empty and name not in given]
    if missing:
        raise ModelError(f"Model lacks {', '.join(missing)}; write Model(state=..., actions=[...])")


def check_definition(arguments: Mapping[str, Any]) -> None:
    """Raise ModelError, naming the argument and what to give, where one of a `Model` is not of its type.

    `initial` is a list here, or None where there is none.
    """
    name = arguments["name"]
    _check_name(name)

    def refuse(role: str, value: object, expected: str) -> ModelError:
        return ModelError(f"model {name}: `{role}` {value}; give {expected}")

    for role in LISTS:
        listed = arguments[role]
        if role == "initial" and listed is None:
            continue
        if role == "initial" and isinstance(listed, Sequence) and not listed:
            raise refuse(role, f"is {listed!r}", "at least one function, or leave it out: then the blank state begins")
        if isinstance(listed, FunctionType):
            raise refuse(role, f"is the function {listed.__name__}", f"a list of functions: [{listed.__name__}]")
        if isinstance(listed, str) or not isinstance(listed, Sequence):
            raise refuse(role, f"is {shown(listed)}", "a list of functions")
        for each in listed:
            if not callable(each):
                wanted = "functions" + ", without quotes" * isinstance(each, str)
                wanted += ", and not what they return: leave out the brackets behind a name" * isinstance(each, bool)
                raise refuse(role, f"lists {shown(each)}", wanted)
    pairs = arguments["leads_to"]
    expected = "a list of pairs of functions, such as [(asked, answered)]"
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise refuse("leads_to", f"is {shown(pairs)}", expected)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(map(callable, pair)):
            raise refuse("leads_to", f"lists {shown(pair)}", expected)
    for role in MAPPINGS:
        mapping = arguments[role]
        if not isinstance(mapping, Mapping):
            wanted = "a dict from actions to names of allowances" if role == "charges" else "a dict by name"
            raise refuse(role, f"is {shown(mapping)}", wanted)
        names = mapping.values() if role == "charges" else mapping
        for each in names:
            if not isinstance(each, str) or not each.isidentifier():
                wanted = "names as Python has them, such as 'nodes'"
                if role == "charges" and isinstance(each, FunctionType):
                    wanted = f"the action first, and then the name of its allowance: {{{each.__name__}: 'name'}}"
                raise refuse(role, f"has the name {shown(each)}", wanted)
    if problem := _flag_problem(arguments["flags"], arguments["bounds"]):
        raise ModelError(f"model {name}: {problem}")
    if problem := _order_problem(arguments["at_least"], arguments["bounds"]):
        raise ModelError(f"model {name}: {problem}")
    for function, allowance in arguments["charges"].items():
        _check_charge(function, allowance, arguments, name)
    kinds: dict[str, tuple[type | tuple[type, ...], str]] = {
        "check_deadlock": (bool, "True or False"),
        "drawing": ((Lanes, type(None)), "Lanes(...), or None"),
        "question": (str, "a text"),
        "expected": (str, "a text"),
    }
    for role, (kind, expected) in kinds.items():
        if not isinstance(arguments[role], kind):
            raise refuse(role, f"is {shown(arguments[role])}", expected)
    if arguments["expected"] and not EXPECTED.fullmatch(arguments["expected"]):
        raise refuse(
            "expected",
            f"is {shown(arguments['expected'])}",
            "HOLDS, DEADLOCK, or VIOLATED and a property, and then perhaps trace=, distinct=, generated=, excluded= or "
            "depth= with a number, such as 'VIOLATED is_safe distinct=9'",
        )
    if arguments["constraint"] is not None and not callable(arguments["constraint"]):
        raise refuse("constraint", f"is {shown(arguments['constraint'])}", "a function, or None")
    if not isinstance(arguments["state"], type) or not issubclass(arguments["state"], Struct):
        raise refuse("state", f"is {shown(arguments['state'])}", "the Struct class of a state")
    _check_rules(arguments["rules"], name)


def _order_problem(at_least: Mapping[str, str], bounds: Mapping[str, int]) -> str:
    """What is wrong with the bounds that may not be below others, and with the least value that mends it; else ""."""
    for name, other in at_least.items():
        for each in (name, other):
            if each not in bounds:
                known = ", ".join(sorted(bounds)) or "none"
                return f"`at_least` names {shown(each)}, which is no bound; the model's bounds are: {known}"
        if bounds[name] < bounds[other]:
            mend = f"set {name}={bounds[other]} or more, too"
            return f"the bound {name} is {bounds[name]}, and may not be below {other}, which is {bounds[other]}; {mend}"
    return ""


def _flag_problem(flags: Any, bounds: Mapping[str, Any]) -> str:
    if isinstance(flags, str) or not isinstance(flags, Sequence):
        return f"`flags` is {shown(flags)}; give a list of names of bounds"
    for each in flags:
        if not isinstance(each, str) or each not in bounds:
            hint = did_you_mean(str(each), bounds)
            return f"`flags` names {shown(each)}, which is no bound{hint}; name bounds that are 0 or 1"
        if bounds[each] not in (0, 1):
            return f"the bound {each} is {bounds[each]}; it is 0 or 1"
    return ""


def _check_charge(function: Any, allowance: str, arguments: Mapping[str, Any], model: str) -> None:
    if not isinstance(function, FunctionType):
        told = f"model {model}: `charges` charges {shown(function)}"
        names = [getattr(each, "__name__", "") for each in arguments["actions"]]
        near = nearest(function, names) if isinstance(function, str) else ""
        mend = f"the function {near}, without quotes" if near else "a function of `actions`"
        raise ModelError(f"{told}; charge {mend}")
    if allowance not in arguments["bounds"]:
        hint = did_you_mean(allowance, arguments["bounds"])
        raise ModelError(
            f"model {model}: `charges` charges {function.__name__} to {allowance!r}, which is no bound{hint}; add it "
            "to `bounds`, with how often such steps can happen in all"
        )


def _check_name(name: Any) -> None:
    """A model's name heads output lines and file names."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        shown = shortened(repr(name))
        raise ModelError(
            f"model {shown}: `name` is {shown}; give 1 to {LONGEST_NAME} letters, digits and any of _ - . which begin "
            "with a letter or a digit, such as 'kept_promises'"
        )


def _check_rules(rules: Any, model: str) -> None:
    if rules is None:
        return
    if isinstance(rules, type) and hasattr(rules, "_fields"):
        raise ModelError(
            f"model {model}: `rules` is the class {rules.__name__}; give a NamedTuple of it: {rules.__name__}()"
        )
    if not is_group(rules):
        raise ModelError(
            f"model {model}: `rules` is {shown(rules)}; give a NamedTuple of enum members, ints or bools, or "
            "of such NamedTuples"
        )
    _check_switches(rules, "rules", model)


def _check_switches(group: Any, path: str, model: str) -> None:
    for name, value in group._asdict().items():
        if is_group(value):
            _check_switches(value, f"{path}.{name}", model)
        elif not isinstance(value, int):
            raise ModelError(
                f"model {model}: {path}.{name} is {shown(value)}; a switch is an IntEnum member, an int or a bool, or "
                "a NamedTuple of such"
            )
        if problem := (not is_group(value) and int_problem(value)) or rule_problem(group, name):
            raise ModelError(f"model {model}: {path}.{name} {problem}")


def contradiction(
    hints: Mapping[str, Any], states: Iterable[str], struct: type[Struct], may_return_nothing: bool
) -> str:
    """How annotations, by parameter, contradict that the parameters `states` are of a struct and the result is a bool,
    or perhaps nothing; "" where they do not.
    """
    for name in states:
        given = hints.get(name, struct)  # the same file can be imported twice, under two names
        if isinstance(given, type) and issubclass(given, Struct) and given.__name__ != struct.__name__:
            return f"takes {name}: {given.__name__}; the state is {a_or_an(struct.__name__)}"
    if hints.get("return", bool) not in (bool, type(None) if may_return_nothing else bool):
        return "says that it returns something else than True or False; write `-> bool`"
    return ""


def first_sentence(text: str | None) -> str:
    """The first paragraph of a docstring, as one line."""
    paragraph = inspect.cleandoc(text or "").split("\n\n")[0].replace("\n", " ")
    return paragraph.strip()


def name_problem(roles: Mapping[str, Sequence[Any]], expected: str) -> str:
    """Which names of a model's parts, by role, are the same, or which property it expects and has not; "" if none."""
    if TYPE_OK in [each.name for each in roles["always, sometimes and lemmas"]]:
        return f"{TYPE_OK} is the name of a property that every model has; name yours otherwise"
    for role, members in roles.items():
        names = [each.name for each in members]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            return f"{', '.join(twice)} is listed twice in {role}; names must differ"
    names = [TYPE_OK, *(each.name for each in roles["its properties"])]
    wanted = expected.removeprefix("VIOLATED ").split(" ")[0]
    if expected.startswith("VIOLATED ") and wanted not in names:
        hint = did_you_mean(wanted, names)
        return f"`expected` names {wanted}, which is no property of it{hint}; it has {', '.join(names)}"
    return ""


def combination_problem(actions: Sequence[Action]) -> str:
    """That actions have too many combinations of parameters; "" if they have not."""
    combinations = sum(action.combination_count() for action in actions)
    if combinations <= MOST_COMBINATIONS:
        return ""
    return (
        f"its actions have {combinations:,} combinations of parameters at these bounds; at most {MOST_COMBINATIONS:,} "
        "are supported, so lower the bounds of the parameters' domains"
    )


def idle_problem(parameters: Sequence[str], taken: Sequence[str], bounds: Sequence[str]) -> str:
    """What a model names and nothing uses; "" if there is nothing. `taken`: the parameters that its actions have."""
    if parameters:
        names = ", ".join(taken) or "none"
        hint = did_you_mean(parameters[0], taken)
        return f"`parameters` names {parameters[0]!r}, which no action takes{hint}; the actions take: {names}"
    if bounds:
        return f"the bound {bounds[0]!r} is used by no field, no parameter and no function; remove it or use it"
    return ""
