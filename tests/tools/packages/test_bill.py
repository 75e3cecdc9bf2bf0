"""The list of parts is CycloneDX, names what is inside, and depends on the packages only."""

import json
from pathlib import Path

from tools.packages.bill import LINKED, build_bill
from tools.packages.source import Source


def test_parts_have_versions_and_licences(checkout: Path, tmp_path: Path) -> None:
    for name in ("requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_text((checkout / name).read_text())
    package = tmp_path / "x.whl"
    package.write_bytes(b"content")
    source = Source(tmp_path, "1.2.3", 1_700_000_000)
    text = build_bill(source, [package]).read_text()
    assert build_bill(source, [package]).read_text() == text
    document = json.loads(text)
    assert (document["bomFormat"], document["metadata"]["timestamp"][:10]) == (
        "CycloneDX",
        "2023-11-14",
    )
    parts = {part["name"]: part for part in document["components"]}
    assert set(LINKED) <= set(parts)
    assert parts["numpy"]["purl"].startswith("pkg:pypi/numpy@")
    assert "uv" not in parts
    (digest,) = document["metadata"]["component"]["properties"]
    assert digest["name"] == "sha256:x.whl"
    assert [name for name, part in parts.items() if not part.get("licenses")] == []
