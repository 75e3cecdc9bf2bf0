"""The repository: what a newcomer relies on."""

import re
import subprocess
import tomllib
from pathlib import Path

from harness.cli.command_line import COMMANDS
from stallscope.errors import ExitCode


def tracked(checkout: Path, *patterns: str) -> list[Path]:
    """The files git tracks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    return [checkout / name for name in listed.stdout.split("\0") if name]


def test_dev_is_posix_shell(checkout: Path) -> None:
    assert (checkout / "dev").read_text().startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", checkout / "dev"], check=True)


def test_dev_names_its_commands(checkout: Path) -> None:
    helped = subprocess.run([checkout / "dev", "help"], capture_output=True, text=True, check=True)
    for name in ("demo", "test", "check", "build", "bench", "clean"):
        assert re.search(rf"^  {name}\b", helped.stdout, re.MULTILINE)
    wrong = subprocess.run([checkout / "dev", "frobnicate"], capture_output=True, check=False)
    assert wrong.returncode == ExitCode.USAGE


def test_no_source_has_more_than_400_lines(checkout: Path) -> None:
    sources = tracked(checkout, "*.py", "*.cpp", "*.hpp", "*.js", "*.css", "dev")
    long = [path for path in sources if len(path.read_text().splitlines()) > 400]
    assert not long


def test_slow_headers_are_included_by_one_source(checkout: Path) -> None:
    """Both cost seconds of compilation in each source: docs/decisions/0027-test-run.md."""
    including = re.compile(r"#include <(nlohmann/|CLI/)")
    sources = {
        path.relative_to(checkout).as_posix()
        for path in tracked(checkout, "native/*.?pp", "tests/native/*.?pp")
        if including.search(path.read_text())
    }
    assert sources == {"native/base/command_line.cpp", "native/base/json.cpp"}


def test_every_command_has_a_page(checkout: Path) -> None:
    assert {path.stem for path in (checkout / "docs" / "commands").glob("*.md")} >= set(COMMANDS)


def test_the_version_is_defined_once(checkout: Path) -> None:
    from stallscope import __version__

    pattern = re.compile(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])")
    places = [
        path.name
        for path in tracked(checkout, "*.py", "*.toml", "CMakeLists.txt")
        if pattern.search(path.read_text())
    ]
    assert places == ["__init__.py"]


def test_the_tree_in_readme_is_the_output_of_the_script(checkout: Path) -> None:
    tree = (checkout / "docs/pictures/topdown.txt").read_text().rstrip()
    assert f"```text\n{tree}\n```" in (checkout / "README.md").read_text()
    for name in ("flame.png", "diagnose.png"):
        assert (checkout / "docs/pictures" / name).stat().st_size < 300_000


def test_contributing_stays_short(checkout: Path) -> None:
    assert len((checkout / "CONTRIBUTING.md").read_text().splitlines()) <= 150


def without_code(markdown: str) -> str:
    """The text without blocks of code, in which brackets are no links."""
    return re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)


def test_files_that_documents_link_to_exist(checkout: Path) -> None:
    pages = [checkout / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    pages += sorted((checkout / "docs").rglob("*.md"))
    missing = [
        f"{page.relative_to(checkout)}: {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", without_code(page.read_text()))
        if not (page.parent / target).exists()
    ]
    assert not missing


def test_paths_in_contributing_exist(checkout: Path) -> None:
    """A path with NAME in it is a pattern."""
    text = (checkout / "CONTRIBUTING.md").read_text()
    names = re.findall(r"`((?:\w[\w-]*/)+[\w.-]*)`", text)
    real = [name for name in names if "NAME" not in name and not name.startswith("build/")]
    assert not [name for name in real if not (checkout / name).exists()]


def test_every_dependency_is_imported_by_a_package(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    modules = {
        "opentelemetry-proto": "opentelemetry",
        "protobuf": "google.protobuf",
        "pyelftools": "elftools",
        "pyyaml": "yaml",
    }
    names = [re.split(r"[<>=]", requirement)[0] for requirement in project["dependencies"]]
    folders = ("stallscope", "topdown", "cstates", "ioprobe", "harness")
    sources = "\n".join(
        path.read_text() for path in tracked(checkout, *(f"{folder}/*.py" for folder in folders))
    )
    for name in names:
        module = modules.get(name, name)
        assert re.search(rf"^\s*(import|from) {module}\b", sources, re.MULTILINE), name
