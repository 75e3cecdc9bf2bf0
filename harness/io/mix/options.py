"""From the words of a command line to what `stallscope io mix` is asked."""

from typing import Any

from harness.io.curve.options import size_of
from harness.io.mix.session import MixRequest
from harness.io.verb_options import check_force
from harness.page.pictures import FORMATS
from ioprobe.mix.plan import MixPlan
from stallscope.errors import UsageError

_MOST_SIZES = 16


def mix_request(path: str, values: dict[str, Any]) -> MixRequest:
    """Return what is asked; UsageError for words that are none."""
    check_force(values["output"], force=values["force"])
    picture = values["picture"]
    if picture is not None and picture.suffix.lower().lstrip(".") not in FORMATS:
        kinds = ", ".join(f".{kind}" for kind in FORMATS)
        raise UsageError(f"--picture {picture}: its kind is not known", f"use {kinds}")
    words = values["sizes"].split(",")
    sizes = tuple(dict.fromkeys(size_of("--sizes", word) for word in words))
    if len(sizes) > _MOST_SIZES:
        raise UsageError(
            f"--sizes has {len(sizes)} sizes, at most {_MOST_SIZES} fit", "name fewer of them"
        )
    plan = MixPlan(
        block_bytes=size_of("--block", values["block"]),
        sizes_bytes=sizes,
        writes=not values["reads_only"],
        duration_s=values["duration_s"],
        warmup_s=values["warmup_s"],
    )
    return MixRequest(
        path=path,
        plan=plan,
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        output=values["output"],
        picture=picture,
        force=values["force"],
    )
