r"""Builds two commits, measures them with ``stallscope bench gate``, and writes a table.

action.yml calls it on a runner; it works in any checkout:

    python3 tools/ci_gate.py --base origin/main --build 'make -C {dir}' --run '{dir}/prog input' \
        --fail-if slower:2%

Each commit is checked out into a separate work tree, which replaces ``{dir}`` in both commands.
It uses the standard library only. The exit code is that of the gate; 4 if a build fails.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

SCHEMA = "stallscope.bench.gate/1"
PLACE = "{dir}"
BUILD_FAILED = 4
MARK = "<!-- stallscope bench gate -->"  # by which the action finds its earlier comment
_BUILD_LINES = 40


class GateError(Exception):
    """A step failed; with the exit code for the runner."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of the gate."""
    options = _parser().parse_args(arguments)
    try:
        return gate(options)
    except GateError as error:
        sys.stderr.write(f"ci_gate: error: {error}\n")
        return error.code


def gate(options: argparse.Namespace) -> int:
    """Build both commits, measure them, write the outputs. Raises GateError."""
    repository = Path(options.repository).resolve()
    commits = {side: _commit(repository, getattr(options, side)) for side in ("base", "head")}
    with tempfile.TemporaryDirectory(prefix="stallscope-gate-") as folder:
        trees = {side: Path(folder, side) for side in commits}
        with work_trees(repository, {trees[side]: commits[side] for side in commits}):
            for side, tree in trees.items():
                _build(options.build, side, tree)
            document, code, messages = _measure(options, trees)
    if document is None:
        raise GateError(f"stallscope bench gate failed:\n{messages}", code or BUILD_FAILED)
    text = markdown(document, commits, options.run)
    for path in filter(None, (options.summary, options.comment)):
        with Path(path).open("a" if path == options.summary else "w") as file:
            file.write(text)
    if options.json:
        Path(options.json).write_text(json.dumps(document) + "\n")
    sys.stdout.write(text)
    return code


def _commit(repository: Path, name: str) -> str:
    command = ["git", "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise GateError(
            f"{name} names no commit here; check out the whole history (fetch-depth: 0)", 2
        )
    return done.stdout.strip()


@contextmanager
def work_trees(repository: Path, commits: Mapping[Path, str]) -> Iterator[None]:
    """Check each commit out into its own tree, and remove the trees at the end."""
    try:
        for tree, commit in commits.items():
            command = ["git", "worktree", "add", "--quiet", "--detach", str(tree), commit]
            done = subprocess.run(
                command, cwd=repository, capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                raise GateError(f"git worktree failed: {done.stderr.strip()}", BUILD_FAILED)
        yield
    finally:
        for tree in commits:
            shutil.rmtree(tree, ignore_errors=True)
        with suppress(OSError):
            subprocess.run(["git", "worktree", "prune"], cwd=repository, check=False)


def _build(command: str, side: str, tree: Path) -> None:
    if not command:
        return
    done = subprocess.run(  # noqa: S602 - the command of the workflow's author
        command.replace(PLACE, shlex.quote(str(tree))),
        shell=True,
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-_BUILD_LINES:])
        raise GateError(
            f"the build of {side} failed with exit status {done.returncode}:\n{last}", BUILD_FAILED
        )


def _measure(
    options: argparse.Namespace, trees: Mapping[str, Path]
) -> tuple[dict[str, object] | None, int, str]:
    """Return the gate's document (None if there is none), its exit code and its messages."""
    command = [*shlex.split(options.stallscope), "bench", "gate", "--json"]
    for side, tree in trees.items():
        command += [f"--{side}", options.run.replace(PLACE, shlex.quote(str(tree)))]
    command += ["--fail-if", options.fail_if, "--blocks", str(options.blocks)]
    if options.strict:
        command.append("--strict")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return None, done.returncode, done.stderr.strip()
    return document, done.returncode, done.stderr.strip()


def markdown(document: dict[str, object], commits: Mapping[str, str], command: str) -> str:
    """Return the table with the verdict, the change and the noise floor."""
    blocks = _list(document, "blocks")
    sides = {side: [_number(block, side) for block in blocks] for side in ("base", "head")}
    lines = [
        MARK,
        f"### {document['verdict']} ({document['rule']})",
        "",
        f"`{_inline(command)}`",
        "",
        "| | commit | median |",
        "|---|---|---:|",
        *(
            f"| {side} | `{commits[side][:12]}` | {_amount(sides[side], str(document['rule']))} |"
            for side in ("base", "head")
        ),
        "",
        "| | change | 95 % interval | n |",
        "|---|---:|---:|---:|",
        _change_row("head against base", document.get("change")),
        _change_row("noise floor (base against base)", document.get("noise_floor")),
        "",
        _power_text(document),
        *(f"\nwarning: {_inline(str(text))}" for text in _list(document, "warnings")),
    ]
    return "\n".join(lines) + "\n"


def _list(document: dict[str, object], name: str) -> list[object]:
    value = document.get(name)
    return value if isinstance(value, list) else []


def _number(block: object, name: str) -> float:
    value = block.get(name) if isinstance(block, dict) else None
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _amount(values: Sequence[float], rule: str) -> str:
    """Return the median with its unit: nanoseconds, or bytes for a rule of memory."""
    usable = sorted(value for value in values if value == value)  # noqa: PLR0124 - not NaN
    if not usable:
        return "not measured"
    half = len(usable) // 2
    median = usable[half] if len(usable) % 2 else (usable[half - 1] + usable[half]) / 2
    if rule.startswith("memory"):
        return f"{median / 2**20:,.2f} MiB"
    return f"{median / 1e6:,.3f} ms"


def _change_row(label: str, change: object) -> str:
    fields = change if isinstance(change, dict) else {}
    percent = fields.get("percent")
    if percent is None:
        return f"| {label} | not measured | | {fields.get('n', 0)} |"
    low, high = (
        "?" if fields.get(name) is None else f"{fields[name]:+.2f}" for name in ("low", "high")
    )
    return f"| {label} | {percent:+.2f} % | {low} to {high} % | {fields.get('n')} |"


def _power_text(document: dict[str, object]) -> str:
    power, needed = document.get("power"), document.get("blocks_needed")
    if not isinstance(power, (int, float)):
        return "Power: unavailable, there are too few blocks."
    more = "more than 200" if needed is None else str(needed)
    return (
        f"A slowdown of {document['threshold_percent']:g} % is found with a probability of "
        f"{power:.0%}; 80 % needs {more} blocks per stage."
    )


def _inline(text: str) -> str:
    """Return one line that ends no code span and starts no HTML."""
    return " ".join(text.split()).replace("`", "'").replace("<", "&lt;")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ci_gate.py", description="Build two commits and compare their speed on one machine."
    )
    add = parser.add_argument
    add("--repository", default=".", help="checkout with both commits (default: .)")
    add("--base", required=True, help="commit before the change")
    add("--head", default="HEAD", help="commit after the change (default: HEAD)")
    add("--build", default="", help="shell command that builds the tree {dir} (default: none)")
    add("--run", required=True, help="command to measure, with {dir} for the tree; no shell")
    add("--fail-if", required=True, help="slower:P%%, cpu:P%% or memory:P%%")
    add("--blocks", type=int, default=20, help="blocks of each of two stages (default: 20)")
    add("--strict", action="store_true", help="exit code 3 if the gate is undecided")
    add("--stallscope", default="stallscope", help="command of stallscope")
    add("--summary", default=os.environ.get("GITHUB_STEP_SUMMARY"), help="file to append to")
    add("--comment", help="file for the comment's text")
    add("--json", help="file for the document")
    return parser


if __name__ == "__main__":
    sys.exit(main())
