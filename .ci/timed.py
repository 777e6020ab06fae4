"""Runs a command, and says in a last line how long it took: by the clock, and CPU time of all processes.

Ends with the status of the command.
"""

import contextlib
import resource
import subprocess
import sys
import time


def main(command: list[str]) -> int:
    """Run the command; its status, as a shell tells it."""
    begun = time.monotonic()
    with subprocess.Popen(command) as process:
        while process.returncode is None:
            with contextlib.suppress(KeyboardInterrupt):  # the command is told, too, and says how it ended
                process.wait()
    minutes, seconds = divmod(round(time.monotonic() - begun), 60)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"in all {minutes} min {seconds} s, {(used.ru_utime + used.ru_stime) / 60:.1f} CPU minutes", flush=True)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
