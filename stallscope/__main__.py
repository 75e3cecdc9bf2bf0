"""The entry point: checks that all packages are of one distribution, then runs the command line."""

import gc
import os
import sys
from importlib.machinery import PathFinder

PACKAGES = ("topdown", "cstates", "ioprobe", "harness")
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib costs start-up time


def safe_path(search_path: list[str]) -> list[str]:
    """Return the search path for modules without the current directory and relative ones.

    ``python -m`` and an empty entry of PYTHONPATH add the current directory; a file click.py there
    must not be imported. The directories of the installation stay.
    """
    here, installed = os.getcwd(), (_HOME, sys.prefix, sys.base_prefix)  # noqa: PTH109
    return [
        path
        for path in search_path
        if path.startswith("/") and (path != here or path.startswith(installed))
    ]


def foreign_packages(search_path: list[str] | None = None) -> list[str]:
    """Return our top-level packages that Python would load from another distribution."""
    specs = {name: PathFinder.find_spec(name, search_path) for name in PACKAGES}
    return [
        name
        for name, spec in specs.items()
        if spec is None
        or spec.origin is None
        or os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))) != _HOME  # noqa: PTH100, PTH120
    ]


def run() -> int:
    """Return the exit code of the command line given in ``sys.argv``."""
    if not sys.flags.safe_path:
        sys.path[:] = safe_path(sys.path)
    foreign = foreign_packages()
    if foreign:
        sys.stderr.write(
            f"stallscope: error: the packages {', '.join(foreign)} come from another distribution\n"
            "  remedy: install stallscope on its own: pipx install stallscope\n"
        )
        return 3
    # No linear algebra is computed, and starting its threads takes 20 ms of CPU time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports allocate much that stays: collections during start-up find nothing.
    gc.set_threshold(200_000, 20, 20)
    from harness.cli.command_line import main  # noqa: PLC0415 - only after the check

    status = main()
    gc.freeze()  # the collection at the end of Python would visit every object once more
    return status


# CPython keeps frames in blocks of 16 KiB, and maps and unmaps one at each call that crosses the
# end of a block: 3,000 times in a report, 15 ms of CPU time. A frame with this many slots gets a
# block of 256 KiB, in which the frames of all its calls have room.
run.__code__ = run.__code__.replace(co_stacksize=20_000)

if __name__ == "__main__":
    sys.exit(run())
