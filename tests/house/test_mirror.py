"""Every module has a test file in the mirrored place, or is in a list that gets shorter."""

from pathlib import Path

import pytest

from tests.house.mirror import FOLDERS, mirrored, named_modules, problems, read_list

# The number of entries in mirror.toml; lower it after entries were removed.
MAX_ENTRIES = 0


def test_every_module_has_a_test_in_the_mirrored_place_or_in_the_list(checkout: Path) -> None:
    wrong = problems(checkout, read_list())
    assert not wrong, "\n".join(wrong)


def test_the_list_gets_shorter() -> None:
    assert len(read_list()) <= MAX_ENTRIES, (
        "write a test file in the mirrored place instead of an entry in tests/house/mirror.toml"
    )


def test_folders_that_are_tested_as_a_whole_exist(checkout: Path) -> None:
    for folder, test in FOLDERS.items():
        assert folder.replace("/", ".") in named_modules((checkout / test).read_text())


def test_the_mirrored_place_has_the_same_folders() -> None:
    assert mirrored("cstates/idle/run.py") == "tests/cstates/idle/test_run.py"
    assert mirrored("harness/demo/__main__.py") == "tests/harness/demo/test_main.py"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from cstates.idle import run", "cstates.idle.run"),
        ("from cstates.idle.run import Run", "cstates.idle.run"),
        ("import cstates.idle.run as run", "cstates.idle.run"),
        ('"""Tests of `cstates/idle/run.py`: intervals."""', "cstates.idle.run"),
        ("def f():\n    import cstates.idle.run", "cstates.idle.run"),
    ],
)
def test_imports_and_names_in_texts_are_recognised(source: str, name: str) -> None:
    assert name in named_modules(source)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project: a.py is tested by the test of b.py."""
    for folder in ("cstates", "tests/cstates"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cstates/a.py").write_text("def f(): ...")
    (tmp_path / "cstates/b.py").write_text("def g(): ...")
    (tmp_path / "tests/cstates/test_b.py").write_text("import cstates.a, cstates.b")
    (tmp_path / "tests/cstates/test_other.py").touch()
    return tmp_path


A, B = "cstates/a.py", "tests/cstates/test_b.py"


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ({}, "cstates/a.py: write its tests into tests/cstates/test_a.py"),
        ({A: B}, None),
        ({A: "tests/missing.py"}, "there is no file tests/missing.py"),
        ({A: B, "cstates/c.py": B}, "no such module"),
        ({A: B, "cstates/b.py": B}, "test_b.py exists; remove"),
        ({A: "tests/cstates/test_other.py"}, "does not import or name it"),
    ],
)
def test_wrong_entries_are_reported(
    project: Path, listed: dict[str, str], message: str | None
) -> None:
    messages = problems(project, listed)
    assert any(message in line for line in messages) if message else not messages


def test_a_module_that_only_declares_types_needs_no_test(project: Path) -> None:
    (project / "cstates/c.py").write_text("class C:\n    x: int")
    assert problems(project, {A: B}) == []
    (project / "cstates/c.py").write_text("class C:\n    def x(self): ...")
    assert "cstates/c.py: write its tests" in problems(project, {A: B})[0]
