"""An ordinary user's files give no names to root's later profiles, and root's cache none of them.

The programs are copies with a debug file that gives a function a false name. Each test has a private
cache.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.conftest import NOBODY, public_folder

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]

STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))
SOURCE = """
#include <unistd.h>
volatile unsigned long total;
__attribute__((noinline)) void {name}(void) {{ for (int i = 0; i < 100000; ++i) total += i; }}
int main(void) {{ for (;;) {{ {name}(); usleep(500); }} }}
"""
GENUINE, FALSE = "genuine_name", "planted_name"
AS_USER = (
    "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
    "unshare", "--user", "--map-root-user", "--mount",
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A directory that any user may read, with a genuine program, a debug file and a cache.

    ``planted``: a debug file with the program's build id and a false name.
    """

    folder: Path
    genuine: Path
    debug: Path
    planted: Path
    cache: Path

    def run(self, *words: object) -> str:
        """The output of a command of stallscope with the private cache."""
        result = subprocess.run(
            [STALLSCOPE, *map(str, words)],
            env=os.environ | {"XDG_CACHE_HOME": str(self.cache)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def functions(self, *words: object) -> set[str]:
        """The functions of a profile that is measured or reported."""
        document = json.loads(self.run(*words, "--json"))
        return {function["name"] for function in document["functions"]}

    def profiled(self, pid: int, name: str) -> set[str]:
        """The functions of a live profile of a process."""
        words = ("-p", pid, "--duration", "0.2", "--stacks", "fp", "-o", self.folder / name)
        return self.functions("profile", *words)

    def cached(self) -> bytes:
        """All entries of the cache, with the names of their files."""
        files = sorted(path for path in self.cache.rglob("*") if path.is_file())
        return b"".join(os.fsencode(path) + path.read_bytes() for path in files)


def compiled(place: Path, name: str, build_id: str, *words: str) -> Path:
    """A program that spends its time in a function of this name."""
    command = ["gcc", "-O1", "-x", "c", "-", f"-Wl,--build-id=0x{build_id}", "-o", str(place)]
    subprocess.run([*command, *words], input=SOURCE.format(name=name), text=True, check=True)
    return place


@pytest.fixture
def place() -> Iterator[Place]:
    """The programs, in a directory that any user may read."""
    if shutil.which("setpriv") is None or shutil.which("unshare") is None:
        pytest.skip("needs the program setpriv or unshare")
    build_id = os.urandom(20).hex()
    with public_folder(0o755) as folder:
        users = folder / "users"
        (users / "debug").mkdir(parents=True)
        planted = compiled(users / "planted", FALSE, build_id)
        debug = users / "debug/genuine.debug"
        subprocess.run(["objcopy", "--only-keep-debug", planted, debug], check=True)
        genuine = compiled(folder / "genuine", GENUINE, build_id, "-rdynamic")
        subprocess.run(["strip", genuine], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", genuine], check=True)
        shutil.copy(genuine, users / "copy")
        (folder / ".debug").mkdir()
        (users / ".debug").mkdir()
        for path in [users, *users.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        yield Place(folder, genuine, debug, planted, folder / "cache")


@contextmanager
def running(program: Path, *prefix: str) -> Iterator[int]:
    """A process of the program, started by the words of the prefix; ended at the end."""
    with subprocess.Popen([*prefix, str(program)], stderr=subprocess.PIPE) as process:
        try:
            end = time.monotonic() + 20
            while Path(f"/proc/{process.pid}/exe").readlink() != program:
                if process.poll() is not None or time.monotonic() > end:
                    assert process.stderr is not None
                    process.kill()
                    reason = process.stderr.read().decode().strip()
                    pytest.skip(f"needs the kernel's user namespaces: {reason}")
                time.sleep(0.01)
            yield process.pid
        finally:
            process.kill()


def check_genuine(place: Place) -> None:
    """Root's profile of the genuine program has its own name, and the cache holds no other."""
    assert FALSE.encode() not in place.cached()
    with running(place.genuine) as pid:
        functions = place.profiled(pid, "later")
    assert GENUINE in functions
    assert FALSE not in functions
    assert GENUINE.encode() in place.cached()
    assert FALSE.encode() not in place.cached()


@pytest.mark.parametrize(("program", "names"), [("genuine", {GENUINE}), ("users/copy", {FALSE})])
def test_a_debug_file_in_a_users_mount_namespace_is_not_cached(
    program: str, names: set[str], place: Place
) -> None:
    """A user chooses the names of private programs only."""
    path = place.folder / program
    script = f'mount --bind "{place.debug.parent}" "{path.parent}/.debug" && exec "$0"'
    with running(path, *AS_USER, "sh", "-c", script) as pid:
        assert {GENUINE, FALSE} & place.profiled(pid, "run") == names
    check_genuine(place)


def test_a_copied_binary_of_a_recording_is_not_cached(place: Place) -> None:
    with running(place.planted, *AS_USER[:4]) as pid:
        place.planted.unlink()
        assert FALSE in place.profiled(pid, "run")
    assert list((place.folder / "run/binaries").glob("?" * 40))
    assert FALSE.encode() not in place.cached()
    received = place.folder / "received"
    shutil.move(place.folder / "run", received)
    document = json.loads((received / "recording.json").read_text())
    document["boot_id"] = "00000000-0000-0000-0000-000000000000"
    (received / "recording.json").write_text(json.dumps(document))
    shutil.rmtree(place.cache, ignore_errors=True)
    assert FALSE in place.functions("report", received)
    check_genuine(place)
