"""Pictures are drawn with matplotlib's own settings only."""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[3]
DRAW = """
import sys
from harness.page.pictures import picture_bytes
from pathlib import Path
here = Path.cwd()
picture = picture_bytes(lambda figure: figure.text(0, 0, "caption"), "svg", (2, 1))
assert Path.cwd() == here
sys.stdout.buffer.write(picture)
"""


def test_settings_of_the_current_directory_and_of_the_user_are_ignored(tmp_path: Path) -> None:
    """With ``text.usetex`` matplotlib would run latex, here a program that another user prepared."""
    settings = "text.usetex: True\n"
    (tmp_path / "matplotlibrc").write_text(settings)
    (tmp_path / ".config" / "matplotlib").mkdir(parents=True)
    (tmp_path / ".config" / "matplotlib" / "matplotlibrc").write_text(settings)
    for program in ("latex", "fc-list"):
        (tmp_path / program).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-$0\n")
        (tmp_path / program).chmod(0o755)
    environment = os.environ | {
        "PATH": f".:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "MATPLOTLIBRC": "matplotlibrc",
        "PYTHONPATH": str(HOME),
    }
    for name in ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    run = subprocess.run(
        [sys.executable, "-c", DRAW], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert b"caption" in run.stdout
    assert run.stderr == b""
    assert not list(tmp_path.glob("ran-*"))
