"""The answer of cvc5 to a script, as a second opinion. Only this file imports cvc5, which is an optional package."""

import importlib.util
from typing import Any

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.proofs.solver import MOST_MILLISECONDS, Answer, Status

NAME = "cvc5"


def version() -> str:
    """Its name and version. UsageError if it is not installed."""
    if importlib.util.find_spec("cvc5") is None:
        raise UsageError(
            "--solver cvc5: the package cvc5 is not installed; run `pip install 'kafkacheck[cvc5]'`, or leave --solver "
            "out, for Z3 alone"
        )
    try:
        import cvc5
    except ImportError as error:
        raise UsageError(
            f"--solver cvc5: the package cvc5 cannot be loaded ({error}); install it again with `pip install "
            "--force-reinstall 'kafkacheck[cvc5]'`, or leave --solver out, for Z3 alone"
        ) from error
    return f"{NAME} {cvc5.__version__}"


def solve(script: str, timeout: float | None) -> Answer:
    """Whether the assertions of an SMT-LIB script can hold at once, as `solver.solve`. `timeout` is in seconds.

    RuntimeError if cvc5 does not understand the script.
    """
    import cvc5

    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    solver.setOption("produce-models", "true")
    solver.setOption("bitblast", "eager")
    if timeout is not None:
        solver.setOption("tlimit-per", str(int(min(max(1, timeout * 1000), MOST_MILLISECONDS))))
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    while (command := parser.nextCommand()).getCommandName() != "check-sat":
        command.invoke(solver, symbols)
    result = solver.checkSat()
    if result.isUnsat():
        return Answer(Status.UNSATISFIABLE)
    if result.isUnknown():
        return Answer(Status.UNKNOWN, reason=result.getUnknownExplanation().name.lower())
    declared = symbols.getDeclaredTerms()
    return Answer(Status.SATISFIABLE, {each.getSymbol(): _value(solver.getValue(each)) for each in declared})


def _value(value: Any) -> int:
    if value.isBooleanValue():
        return int(value.getBooleanValue())
    wide = value.getSort().getBitVectorSize()
    unsigned = int(value.getBitVectorValue(10))
    return unsigned - (1 << wide) if unsigned >> (wide - 1) else unsigned
