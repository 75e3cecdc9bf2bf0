"""Interpreters with a table of offsets (3.13, 3.14), and with perf trampolines (-X perf)."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.conftest import Recording
from tests.live.python_roots import VERSIONS, FetchError, interpreter
from tests.live.python_targets import chains_of, impossible_calls, profile_of

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def roots(checkout: Path) -> Path:
    """The folder of fetched packages, kept between runs."""
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the program {program}: it is not installed")
    folder = checkout / "build" / "python-roots"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        interpreter(folder, VERSIONS[0])
    except FetchError as error:
        pytest.skip(f"needs the program python3.13 of Debian testing: {error}")
    return folder


@pytest.mark.parametrize("how", ["offsets", "trampoline"])
@pytest.mark.parametrize("version", VERSIONS)
def test_names_and_order_agree_with_the_program(
    roots: Path, record: Callable[..., Recording], tmp_path: Path, version: str, how: str
) -> None:
    options = ("-X", "perf") if how == "trampoline" else ()
    process = interpreter(roots, version, *options).start("60", "plain")
    try:
        for turn in range(3):  # on a busy machine frames may be read too late
            words = ("-p", process.pid, "--stacks", "dwarf", "--duration", 1)
            run = record(*words, output=tmp_path / str(turn))
            assert run.exit_code == 0, run.messages
            text = (run.directory / "python.jsonl").read_text()
            analysis = profile_of(run.directory)
            shares = analysis.python
            assert shares is not None
            if how == "trampoline" or shares.share(shares.framed) > 0.8:
                break
    finally:
        with process:
            process.kill()
        Path("/tmp", f"perf-{process.pid}.map").unlink(missing_ok=True)
    interpreters = [entry for entry in map(json.loads, text.splitlines()) if "interpreter" in entry]
    assert {(entry["version"].rpartition(".")[0], entry["how"]) for entry in interpreters} == {
        (version, how)
    }
    chains = chains_of(analysis)
    if how == "offsets":
        assert shares.share(shares.framed) > 0.8, shares
    else:
        assert (shares.samples, shares.trampolined) == (0, 1)
    whole = [chain for chain in chains if chain.python()[:1] == ["<module>"]]
    samples = sum(chain.samples for chain in whole)
    # With trampolines every call has native frames: those of the deepest calls are beyond the copy.
    assert samples > (0.8 if how == "offsets" else 0.5) * analysis.profile.samples
    wrong = impossible_calls(whole, evaluation_apart=how == "trampoline")
    assert sum(wrong.values()) < 0.02 * samples, wrong
    below_main = {chain.python()[2] for chain in whole if len(chain.python()) > 2}
    assert below_main >= {"spin", "summing", "sorting", "Odd.naïve", "up_and_down"}
