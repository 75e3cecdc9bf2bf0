"""Settings of this user, which could run programs, do not reach matplotlib."""

import os
from pathlib import Path

import pytest

from harness.page.matplotlib_settings import default_settings


def test_a_settings_file_in_the_current_directory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLCONFIGDIR", "/mine")
    monkeypatch.setenv("PATH", "/mine/bin")
    with default_settings():
        assert Path.cwd().name == "mpl-data"
        assert Path("matplotlibrc").is_file()
        assert os.environ["PATH"] == os.defpath
        assert os.environ["MPLCONFIGDIR"] != "/mine"
    assert Path.cwd() == tmp_path
    assert os.environ["PATH"] == "/mine/bin"
    assert os.environ["MPLCONFIGDIR"] == "/mine"


def test_without_a_home_directory_the_list_of_fonts_is_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("harness.page.matplotlib_settings.cache_directory", lambda _: None)
    with default_settings():
        fonts = Path(os.environ["MPLCONFIGDIR"])
        assert fonts.is_dir()
    assert not fonts.exists()
