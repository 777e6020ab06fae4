"""The process in which a system under test that is written in Python runs: JSON lines in, JSON lines out.

`README.md` of this folder describes the messages. The system's own output goes to stderr.
"""

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from kafkacheck.checker.conform.adapter import DESCRIPTION

MOST_LINES = 20
"""How many lines of a traceback are passed on."""


@dataclass(frozen=True)
class Told:
    """The model as a system is told of it: its name, bounds, rules, the paths of its fields, parameters by action."""

    name: str
    bounds: Mapping[str, int]
    rules: Mapping[str, int | str]
    fields: tuple[str, ...]
    actions: Mapping[str, tuple[str, ...]]


class _RefusedError(Exception):
    """The file does not define a system; the message says why."""


def main(path: str) -> None:
    """Serve the system that the file defines as `SYSTEM` until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    system: Any = None
    for line in requests:
        request = json.loads(line)
        try:
            if "model" in request:
                system = _made(path, request)
                answer = _description(system)
            else:
                answer = _answer(system, request)
        except _RefusedError as error:
            answer = {"refused": str(error)}
        except Exception as error:
            answer = {"threw": _text_of(error)}
        _say(answers, answer)


def _say(answers: TextIO, answer: object) -> None:
    try:
        text = json.dumps(answer)
    except (TypeError, ValueError) as error:
        text = json.dumps({"refused": f"it answered {answer!r:.300}, which is not JSON data ({error})"})
    answers.write(f"{text}\n")
    answers.flush()


def _made(path: str, request: dict[str, Any]) -> Any:
    spec = importlib.util.spec_from_file_location("system_under_test", path)
    if spec is None or spec.loader is None:
        raise _RefusedError("it is not a file of Python code")
    module = importlib.util.module_from_spec(spec)
    sys.modules["system_under_test"] = module
    spec.loader.exec_module(module)
    make = getattr(module, "SYSTEM", None)
    if not callable(make):
        raise _RefusedError("it defines no class SYSTEM; write SYSTEM = YourClass at its end")
    system = make(
        Told(
            request["model"],
            request["bounds"],
            request["rules"],
            tuple(request["fields"]),
            {name: tuple(parameters) for name, parameters in request["actions"].items()},
        )
    )
    missing = [name for name in ("start", "act", "observe") if not callable(getattr(system, name, None))]
    if missing:
        raise _RefusedError(f"SYSTEM has no method {missing[0]}; it needs start(state), act(action, ...) and observe()")
    return system


def _description(system: Any) -> dict[str, Any]:
    told = {name: getattr(system, name) for name in sorted(DESCRIPTION) if hasattr(system, name)}
    return {
        name: list(value) if isinstance(value, tuple | set | frozenset) else dict(value) if isinstance(value, Mapping)
        else value
        for name, value in told.items()
    }  # fmt: skip


def _answer(system: Any, request: dict[str, Any]) -> dict[str, Any]:
    if "start" in request:
        system.start(request["start"])
        return {"observed": system.observe()}
    fields = [request["fields"]] if "fields" in request else []
    accepted = system.act(request["act"], request["parameters"], *fields)
    if isinstance(accepted, dict):
        return {"accepted": True, "chosen": accepted, "observed": system.observe()}
    if not isinstance(accepted, bool):
        raise _RefusedError(f"act({request['act']!r}, ...) returned {accepted!r:.100}; return True or False")
    return {"accepted": accepted, "observed": system.observe()}


def _text_of(error: Exception) -> str:
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename == __file__:
        place = place.tb_next
    lines = "".join(traceback.format_exception(type(error), error, place)).rstrip().splitlines()
    return "\n".join(lines[-MOST_LINES:])
