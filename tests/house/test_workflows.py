"""The workflows of continuous integration name commands and systems that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.packages.elf_needs import SYSTEMS

NAMES = {
    "ubuntu": "Ubuntu",
    "debian": "Debian",
    "redhat/ubi9": "RHEL",
    "redhat/ubi10": "RHEL",
    "amazonlinux": "Amazon Linux",
}


def workflow(checkout: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((checkout / ".github/workflows" / name).read_text())
    return document


@pytest.mark.parametrize("name", ["check.yml", "test.yml", "packages.yml"])
def test_commands_of_dev_exist(checkout: Path, name: str) -> None:
    script = (checkout / "dev").read_text()
    jobs = workflow(checkout, name)["jobs"].values()
    steps = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    commands = [match for step in steps for match in re.findall(r"\./dev (\w+)", step)]
    assert commands or name != "packages.yml"
    assert all(re.search(rf"^  {command}\)", script, re.MULTILINE) for command in commands)


def test_wheels_are_installed_on_every_system_that_they_are_said_to_suit(checkout: Path) -> None:
    jobs = workflow(checkout, "packages.yml")["jobs"]
    matrix = jobs["install"]["strategy"]["matrix"]["system"]
    tried = set()
    for system in matrix:
        name, _, version = system["image"].partition(":")
        tried.add(f"{NAMES[name]} {version or name[-2:].lstrip('bi')}")
    suited = {name for name, glibc in SYSTEMS.items() if glibc >= (2, 34)}
    assert tried == suited
