"""Options of `stallscope io mix`: sizes, pictures, requirements on the target."""

from pathlib import Path
from typing import Any

import pytest

from harness.io.mix.options import mix_options
from stallscope.errors import UsageError

DEFAULTS: dict[str, Any] = {
    "sizes": "4K,64K", "block": "4K", "reads_only": False, "duration_s": 0.5, "warmup_s": 0.1,
    "size": "1G", "span": None, "destroy": None, "output": None, "picture": None, "force": False,
}  # fmt: skip


def test_the_target_must_take_every_size_and_writes() -> None:
    target = mix_options(".", DEFAULTS | {"sizes": "64K,4K,64K", "block": "8K"}).target
    assert target.writable
    assert target.block_bytes == (8192, 65536, 4096)
    assert not mix_options(".", DEFAULTS | {"reads_only": True}).target.writable


def test_the_ending_of_the_picture_is_its_format() -> None:
    options = mix_options(".", DEFAULTS | {"picture": Path("mix.SVG")})
    assert options.picture_format == "svg"
    assert mix_options(".", DEFAULTS).picture_format == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sizes": "4K,,8K"}, "--sizes: '' is not a size"),
        ({"sizes": ",".join(f"{n}K" for n in range(1, 18))}, "17 sizes exceed the limit of 16"),
        ({"span": "big"}, "--span: 'big' is not a size"),
        ({"picture": Path("mix.gif")}, "unknown format"),
        ({"force": True}, "--force needs a recording"),
    ],
)
def test_invalid_values_name_their_option(values: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mix_options(".", DEFAULTS | values)
