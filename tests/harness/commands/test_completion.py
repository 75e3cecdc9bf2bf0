"""`stallscope completion`: the scripts work in the shells themselves."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from harness.cli.command_line import main
from tests.tmux import window

# How each shell starts without the user's files, and reads the script.
SHELLS = {
    "bash": (
        "bash --norc --noprofile -i",
        "source <(stallscope completion bash); echo set$((1+1))up",
    ),
    "zsh": (
        "zsh -f -i",
        "autoload -U compinit; compinit -D -u; source <(stallscope completion zsh); echo set$((1+1))up",
    ),
    "fish": (
        "fish --no-config -i",
        "stallscope completion fish | source; echo set(math 1+1)up",
    ),
}
# What is typed before a tab, and what is on the screen afterwards.
CASES = [
    ("stallscope dat", "stallscope data"),
    ("stallscope cstates com", "stallscope cstates compare"),
    ("stallscope profile --dur", "stallscope profile --duration"),
    ("stallscope io curve --pattern seq", "stallscope io curve --pattern sequential"),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes_commands_options_and_values(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs the program {shell}")
    start, setup = SHELLS[shell]
    home = Path(sys.executable).parent
    environment = {
        "PATH": f"{home}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    with window(f"exec {start}", tmp_path, environment=environment) as terminal:
        terminal.type(setup)
        terminal.press("Enter")
        terminal.wait_for("set2up")
        for typed, completed in CASES:
            terminal.type(typed)
            terminal.press("Tab")
            terminal.wait_for(completed)
            terminal.press("C-u")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_STALLSCOPE_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_another_shell_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == 2
    assert "bash" in capsys.readouterr().err
