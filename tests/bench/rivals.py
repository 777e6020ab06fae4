"""Other explicit-state model checkers on the transition system of the model `kip320`.

SPIN and Rumur run on the models beside this file, TLC on a checkout of the public TLA+ specification. Each of them is
built once for given bounds, and may then explore several times.
"""

import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path

from tests.bench.measure import BenchmarkError, Bounds, Search, run

HERE = Path(__file__).parent

# SPIN's documented ways to be fast and exact: full optimisation, safety properties only, no partial order reduction
# (there is one process), no bounds checks, and state vectors stored as they are.
SPIN_FLAGS = ("-O3", "-march=native", "-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK", "-DNOCOMP")
# Rumur's own advice for building its verifiers, without packing of its bookkeeping, which costs it time.
RUMUR_FLAGS = ("-std=c11", "-O3", "-march=native", "-fwhole-program", "-mcx16")
RUMUR_OPTIONS = ("--deadlock-detection", "off", "--threads", "1", "--pack-state", "off")


class Rival(ABC):
    """A model checker built for `bounds`; `states` is about how many states it will find."""

    name: str
    needs: tuple[str, ...]

    def __init__(self, bounds: Bounds, states: int) -> None:
        self.bounds = bounds
        self.states = states
        self._scratch = tempfile.TemporaryDirectory(prefix="kafkacheck-bench-")
        self.folder = Path(self._scratch.name)

    @classmethod
    def missing(cls) -> list[str]:
        """The programs it needs that are not installed."""
        return [program for program in cls.needs if shutil.which(program) is None]

    @abstractmethod
    def build(self) -> None:
        """Make everything ready that is not part of an exploration."""

    @abstractmethod
    def explore(self) -> Search:
        """One exploration of all states. BenchmarkError where it is incomplete or found a violation."""

    def close(self) -> None:
        """Remove what was built."""
        self._scratch.cleanup()


class Spin(Rival):
    """SPIN, depth first, all states kept, on one core."""

    name = "SPIN"
    needs = ("spin", "cc")

    def build(self) -> None:
        """Generate and compile the verifier."""
        defines = [f"-D{name.upper()}={value}" for name, value in self.bounds._asdict().items()]
        run(["spin", *defines, "-a", HERE / "kip320.pml"], self.folder)
        run(["cc", *SPIN_FLAGS, "-w", "-o", "pan", "pan.c"], self.folder)

    def explore(self) -> Search:
        """A run of the verifier, with a hash table of the right size from the start, deadlock detection off."""
        used = run(["./pan", "-E", "-m100000", f"-w{self.states.bit_length() + 1}"], self.folder)
        if "errors: 0" not in used.output or "depth too small" in used.output:
            raise BenchmarkError(f"SPIN did not explore all states:\n{used.output}")
        distinct, generated = (number(rf"^\s*(\d+) {what}", used.output) for what in ("states, stored", "transitions"))
        return Search(distinct, used.cpu, used.wall, used.memory, generated)


class Rumur(Rival):
    """Rumur (Murphi), breadth first, all states kept, on one core."""

    name = "Rumur"
    needs = ("rumur", "cc")

    def build(self) -> None:
        """Generate and compile the verifier."""
        text = (HERE / "kip320.m").read_text(encoding="utf-8")
        for name, value in self.bounds._asdict().items():
            text = re.sub(rf"^(  {name.upper()}: )\d+;", rf"\g<1>{value};", text, flags=re.MULTILINE)
        (self.folder / "kip320.m").write_text(text, encoding="utf-8")
        run(["rumur", *RUMUR_OPTIONS, "--output", "kip320.c", "kip320.m"], self.folder)
        run(["cc", *RUMUR_FLAGS, "-w", "-o", "kip320", "kip320.c", "-lpthread"], self.folder)

    def explore(self) -> Search:
        """A run of the verifier."""
        used = run(["./kip320"], self.folder)
        if "No error found" not in used.output:
            raise BenchmarkError(f"Rumur did not explore all states:\n{used.output[-2000:]}")
        distinct = number(r"^\s*(\d+) states, \d+ rules fired", used.output)
        fired = number(r"^\s*\d+ states, (\d+) rules fired", used.output)
        return Search(distinct, used.cpu, used.wall, used.memory, fired + 1)


class Tlc(Rival):
    """TLC on the public specification, breadth first, on all cores."""

    name = "TLC"
    needs = ("java",)
    tla2tools: Path
    specification: Path
    workers = "auto"

    def build(self) -> None:
        """Write the configuration; the specification stays as it is."""
        replicas = ", ".join(f"r{number}" for number in range(1, self.bounds.replicas + 1))
        lines = [
            "INIT Init",
            "NEXT Next",
            "INVARIANTS WeakIsr StrongIsr",
            "CONSTANTS",
            f"    Replicas = {{{replicas}}}",
            f"    LogSize = {self.bounds.log_size}",
            f"    MaxRecords = {self.bounds.max_records}",
            f"    MaxLeaderEpoch = {self.bounds.max_leader_epoch}",
        ]
        for module in self.specification.glob("*.tla"):
            shutil.copy(module, self.folder)
        (self.folder / "Kip320.cfg").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def explore(self) -> Search:
        """A run of TLC, deadlock detection off. It counts generated states in a way of its own."""
        machine = ["java", "-XX:+UseParallelGC", "-cp", str(self.tla2tools), "tlc2.TLC"]
        metadata = self.folder / "states"
        options = ["-deadlock", "-workers", self.workers, "-metadir", str(metadata), "-config", "Kip320.cfg"]
        used = run([*machine, *options, "Kip320.tla"], self.folder)
        shutil.rmtree(metadata, ignore_errors=True)
        if "No error has been found" not in used.output:
            raise BenchmarkError(f"TLC did not explore all states:\n{used.output[-2000:]}")
        distinct = number(r"([\d,]+) distinct states found, 0 states left on queue", used.output)
        return Search(distinct, used.cpu, used.wall, used.memory)


def number(pattern: str, text: str) -> int:
    """The number that `pattern` captures at its last place in `text`. BenchmarkError where there is none."""
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise BenchmarkError(f"no {pattern!r} in:\n{text[-2000:]}")
    return int(found[-1].replace(",", ""))
