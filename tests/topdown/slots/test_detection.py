"""Which model a CPU has: by what it says of itself, by MIDR, by name."""

from pathlib import Path

import pytest

from stallscope.errors import UsageError
from stallscope.system_files import Roots
from topdown.slots.detection import (
    Identity,
    contradiction,
    identity_of_midr,
    model_named,
    model_of_identity,
    read_identity,
)


def key_of(identity: Identity) -> str | None:
    model = model_of_identity(identity)
    return model.key if model else None


@pytest.mark.parametrize(
    ("vendor", "family", "model", "stepping", "key"),
    [
        ("GenuineIntel", 6, 0x3F, 2, "hsx"),
        ("GenuineIntel", 6, 0x4F, 1, "bdx"),
        ("GenuineIntel", 6, 0x5E, 3, "skl"),
        ("GenuineIntel", 6, 0x9E, 13, "skl"),
        ("GenuineIntel", 6, 0x55, 4, "skx"),
        ("GenuineIntel", 6, 0x55, 7, "clx"),
        ("GenuineIntel", 6, 0x7E, 5, "icl"),
        ("GenuineIntel", 6, 0x6A, 6, "icx"),
        ("GenuineIntel", 6, 0x8F, 8, "spr"),
        ("GenuineIntel", 6, 0xCF, 2, "emr"),
        ("GenuineIntel", 6, 0xAD, 1, "gnr"),
        ("AuthenticAMD", 25, 0x11, 1, "zen4"),
        ("AuthenticAMD", 25, 0xA0, 1, "zen4"),
        ("AuthenticAMD", 26, 0x02, 1, "zen5"),
        ("AuthenticAMD", 25, 0x01, 1, None),  # Zen 3
        ("GenuineIntel", 6, 0x97, 2, None),  # Alder Lake: hybrid
        ("GenuineIntel", 15, 0x3F, 2, None),
        ("HygonGenuine", 24, 1, 1, None),
    ],
)
def test_x86(vendor: str, family: int, model: int, stepping: int, key: str | None) -> None:
    assert key_of(Identity(vendor, family, model, stepping)) == key


@pytest.mark.parametrize(
    ("midr", "key"),
    [
        (0x414FD0C1, "neoverse-n1"),
        (0x410FD490, "neoverse-n2-r0p2"),
        (0x410FD492, "neoverse-n2-r0p2"),
        (0x410FD493, "neoverse-n2"),
        (0x411FD490, "neoverse-n2"),
        (0x410FD8E0, "neoverse-n3"),
        (0x411FD402, "neoverse-v1"),
        (0x410FD4F1, "neoverse-v2"),
        (0x410FD840, "neoverse-v3"),
        (0x410FD034, None),  # Cortex-A53
        (0x480FD010, None),  # another implementer
        (0, None),
    ],
)
def test_arm64(midr: int, key: str | None) -> None:
    assert key_of(identity_of_midr(midr)) == key


def test_cpuinfo_of_arm64_has_the_revision(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    cpuinfo = tmp_path / "proc" / "cpuinfo"
    fields = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
    cpuinfo.write_text(f"{fields}CPU variant\t: 0x0\nCPU part\t: 0xd49\nCPU revision\t: 2\n\n")
    identity = read_identity(Roots.recorded(tmp_path))
    assert identity is not None
    assert key_of(identity) == "neoverse-n2-r0p2"
    assert identity.describe() == "implementer 0x41 part 0xd49 r0p2"
    cpuinfo.write_text(f"{fields}CPU part\t: garbage\n")
    assert read_identity(Roots.recorded(tmp_path)) == Identity(implementer=0x41)
    cpuinfo.write_text("nothing known\n")
    assert read_identity(Roots.recorded(tmp_path)) is None


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("skl", "skl"),
        ("Skylake", "skl"),
        (" SapphireRapids ", "spr"),
        ("amdzen5", "zen5"),
        ("neoverse-n2-r0p3", "neoverse-n2"),
        ("neoverse-n2-r0p1", "neoverse-n2-r0p2"),
        ("haswellx", "hsx"),
    ],
)
def test_names(name: str, key: str) -> None:
    assert model_named(name).key == key


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        model_named("neoverse-v4")
    assert "neoverse-v" in caught.value.remedy
    with pytest.raises(UsageError) as caught:
        model_named("??" * 500)
    assert "known: bdx" in caught.value.remedy
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("number", "flags", "expected_text"),
    [
        (167, "avx512f amx_tile", "which Ice Lake, client lacks: its model number, 167, may come"),
        (106, "amx_tile", "--cpu spr, emr or gnr"),
        (167, "avx512f", None),
        (143, "amx_tile amx_int8", None),
        (207, "amx_tile", None),
    ],
)
def test_contradicting_features_give_a_warning(
    tmp_path: Path, number: int, flags: str, expected_text: str | None
) -> None:
    (tmp_path / "proc").mkdir()
    fields = f"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {number}\nstepping\t: 8\n"
    (tmp_path / "proc" / "cpuinfo").write_text(f"{fields}flags\t\t: fpu {flags}\n\n")
    roots = Roots.recorded(tmp_path)
    identity = read_identity(roots)
    assert identity is not None
    model = model_of_identity(identity)
    assert model is not None
    message = contradiction(roots, model)
    assert message == expected_text if expected_text is None else expected_text in (message or "")
