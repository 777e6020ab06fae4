"""Writes requirements.lock: the pins of pyproject.toml and of everything they need in turn, each with its reason.

Resolves in a new environment, so that nothing that happens to be installed gets into the lock. Needs network. Run it
by `make lock` after changing a pin. The answer must not depend on the Python version: try the oldest and the newest.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEADER = """\
# Everything that .venv holds, written by `make lock` from the pins of pyproject.toml, where their reasons stand.
# The same for Python 3.11, 3.12 and 3.13.
"""
# Run in the new environment: every package with its version and the names of what it requires.
LIST = """
import importlib.metadata, json
from pip._vendor.packaging.requirements import Requirement
found = {}
for package in importlib.metadata.distributions():
    needs = [Requirement(text) for text in package.requires or ()]
    needs = [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    found[package.metadata["Name"]] = (package.version, needs)
print(json.dumps(found))
"""


def normal(name: str) -> str:
    """A package name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    """Resolve, then replace the lock file in one step."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = project["dependencies"] + [pin for pins in project["optional-dependencies"].values() for pin in pins]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        # No wheel of pyspark exists. All versions are pinned, so constraints of this machine only get in the way.
        binary = ["--only-binary=:all:", "--no-binary=pyspark"]
        environment = {**os.environ, "PIP_CONSTRAINT": os.devnull}
        subprocess.run([python, "-m", "pip", "install", "-qq", *binary, *pins], check=True, env=environment)
        answer = subprocess.run([python, "-c", LIST], check=True, capture_output=True, text=True).stdout
    found = {normal(name): (version, needs) for name, (version, needs) in json.loads(answer).items()}
    direct = {normal(pin.partition("==")[0]) for pin in pins}
    lines = []
    for name, (version, _) in sorted(found.items()):
        needed_by = sorted(other for other, (_, needs) in found.items() if name in map(normal, needs))
        if name in direct:
            lines.append(f"{name}=={version}")
        elif needed_by:
            lines.append(f"{name}=={version}  # needed by {', '.join(needed_by)}")
        elif name != "pip":
            sys.exit(f"error: {name} is installed, but nothing needs it; look into the environment")
    new = LOCK.with_suffix(".new")
    new.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    new.replace(LOCK)
    print(f"{LOCK.name}: {len(lines)} packages, resolved with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
