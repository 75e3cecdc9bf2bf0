"""Runs commands of stallscope with fewer privileges: as another user, or without capabilities.

    python -m tests.live.lower_privileges RESULT.json COMMANDS.json -- setpriv ...

The outer process is root in a new mount namespace. It makes the checkout and the interpreter
reachable for other users there, and then runs this module again under setpriv; that process calls
each command and writes status and output.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def hidden_ancestor(path: Path) -> Path | None:
    """Return the outermost directory on the way to a path that other users may not enter."""
    return next((folder for folder in [*path.parents][::-1] if not folder.stat().st_mode & 1), None)


def expose(paths: list[Path]) -> None:
    """Cover directories that hide these paths by empty ones, in this mount namespace only."""
    hidden = [(path, hidden_ancestor(path)) for path in dict.fromkeys(paths)]
    kept = []
    for path, ancestor in hidden:
        if ancestor is not None:
            handle = tempfile.mkdtemp()
            subprocess.run(["mount", "--bind", path, handle], check=True)
            kept.append((path, handle))
    for ancestor in {folder for _, folder in hidden if folder is not None}:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", ancestor], check=True)
    for path, handle in kept:
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--move", handle, path], check=True)
        Path(handle).rmdir()


def call(words: list[str]) -> dict[str, object]:
    """Return the status and output of a command of stallscope, called in this process."""
    from harness.cli.command_line import main

    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        try:
            status = main(words)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, copy in enumerate(saved, 1):
                os.dup2(copy, descriptor)
                os.close(copy)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode())
    return {"status": status, "stdout": texts[0], "stderr": texts[1]}


def run(result: Path, commands: Path) -> None:
    """Call the commands and write their results; the inner process."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_CACHE_HOME": folder, "TMPDIR": folder}
        os.chdir(folder)
        results = [call(words) for words in json.loads(commands.read_text())]
        result.write_text(json.dumps(results))
        os.chdir("/")


def main() -> None:
    """Prepare the mount namespace and start the inner process, or be the inner process."""
    result, commands, *prefix = sys.argv[1:]
    if not prefix:
        run(Path(result), Path(commands))
        return
    with suppress(subprocess.CalledProcessError):
        expose([ROOT, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()])
    inner = [sys.executable, "-m", "tests.live.lower_privileges", result, commands]
    os.chdir(ROOT)
    os.execvp(prefix[1], [*prefix[1:], *inner])


if __name__ == "__main__":
    main()
