"""Licences: every part from elsewhere names its source and licence, and the wheel carries the notices."""

import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
# Written for this project: rules, texts and constants that cite their sources where they have one.
OWN_DATA = {
    "topdown/slots/explanations.json",
    "topdown/slots/modelled/constants.json",
    "topdown/slots/self_test/rules.json",
}
PACKAGES = ("stallscope", "topdown", "cstates", "ioprobe", "harness")
VENDORED = sorted(
    str(path.relative_to(CHECKOUT))
    for package in PACKAGES
    for suffix in ("json", "csv", "tsv", "yaml")
    for path in (CHECKOUT / package).rglob(f"*.{suffix}")
    if str(path.relative_to(CHECKOUT)) not in OWN_DATA
)
LICENCES = {path.stem for path in (CHECKOUT / "LICENSES").iterdir()}


def licences_of(expression: str) -> set[str]:
    return set(re.split(r" AND | OR ", expression))


def test_there_are_vendored_files() -> None:
    assert "topdown/slots/models/spr.json" in VENDORED
    assert "cstates/tables/known_states.csv" in VENDORED


@pytest.mark.parametrize("name", VENDORED)
def test_a_vendored_file_names_its_source_and_licence(name: str) -> None:
    path = CHECKOUT / name
    sidecar = path.with_name(f"{path.name}.license")
    if sidecar.exists():
        text = sidecar.read_text()
        assert "Sources:" in text
        expression = re.findall(r"^SPDX-License-" + r"Identifier: (.+)$", text, re.MULTILINE)[0]
    else:
        document = json.loads(path.read_text())
        assert document["source"]
        expression = document["licence"]
    assert licences_of(expression) <= LICENCES


def test_notice_names_every_group_of_models_with_its_licence() -> None:
    notice = (CHECKOUT / "NOTICE").read_text()
    for path in (CHECKOUT / "topdown/slots/models").glob("*.json"):
        licence = json.loads(path.read_text())["licence"]
        group = next(
            block for block in notice.split("\n\n") if re.search(pattern_of(path.stem), block)
        )
        assert licence in group


def pattern_of(cpu: str) -> str:
    """A pattern for the NOTICE line of a CPU model: its own name, or a pattern with a star."""
    family = re.match(r"neoverse-|zen", cpu)
    return re.escape(f"{family[0]}*") if family else rf"[{{,]{re.escape(cpu)}[,}}]"


def test_the_reuse_annotations_agree_with_the_models() -> None:
    annotations = tomllib.loads((CHECKOUT / "REUSE.toml").read_text())["annotations"]
    by_pattern = {entry["path"]: entry["SPDX-License-Identifier"] for entry in annotations}
    for path in (CHECKOUT / "topdown/slots/models").glob("*.json"):
        name = str(path.relative_to(CHECKOUT))
        last = [pattern for pattern in by_pattern if Path(name).match(pattern) or pattern == "**"][
            -1
        ]
        assert by_pattern[last] == json.loads(path.read_text())["licence"], name


@pytest.mark.parametrize("header", ["menu", "teo", "ladder", "haltpoll"])
def test_a_governor_names_the_kernel_file_and_licence_of_its_rules(header: str) -> None:
    text = (CHECKOUT / "native/cpuidle" / f"{header}.hpp").read_text().replace("\n// ", " ")
    assert f"drivers/cpuidle/governors/{header}.c of the Linux kernel (GPL-2.0)" in text
    assert "re-implemented here from a description of that file" in text


def test_the_wheel_carries_all_notices() -> None:
    (wheel,) = (CHECKOUT / "dist").glob("stallscope-*.whl")
    names = {
        name.partition(".dist-info/licenses/")[2] for name in zipfile.ZipFile(wheel).namelist()
    }
    assert {"LICENSE", "NOTICE", *(f"LICENSES/{name}.txt" for name in LICENCES)} <= names
