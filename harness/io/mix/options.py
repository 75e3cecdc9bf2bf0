"""The options of `stallscope io mix`, validated."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.quantity_options import size_of
from harness.io.verb_options import check_force
from harness.page.pictures import FORMATS
from ioprobe.mix.plan import MixPlan
from ioprobe.target.target import TargetRequirements
from stallscope.errors import UsageError

_MAX_SIZES = 16


@dataclass(frozen=True, slots=True)
class MixOptions:
    """What to measure, and where to write it."""

    path: str
    plan: MixPlan
    size_bytes: int  # of the scratch file, if one is used
    span_bytes: int | None  # None: the whole target
    destroy: str | None  # the block device to overwrite
    output: Path | None
    picture: Path | None
    force: bool

    @property
    def target(self) -> TargetRequirements:
        """Return the requirements on the target."""
        return TargetRequirements(
            writable=self.plan.writes,
            destroy=self.destroy,
            size_bytes=self.size_bytes,
            span_bytes=self.span_bytes,
            block_bytes=(self.plan.block_bytes, *self.plan.sizes_bytes),
        )

    @property
    def picture_format(self) -> str:
        """Return the format of the picture: "svg" or "png"."""
        return "" if self.picture is None else self.picture.suffix.lower().lstrip(".")


def mix_options(path: str, values: dict[str, Any]) -> MixOptions:
    """Return the validated options; UsageError names the option with a wrong value."""
    check_force(values["output"], force=values["force"])
    words = values["sizes"].split(",")
    sizes = tuple(dict.fromkeys(size_of("--sizes", word) for word in words))
    if len(sizes) > _MAX_SIZES:
        raise UsageError(
            f"--sizes: {len(sizes)} sizes exceed the limit of {_MAX_SIZES}", "name fewer sizes"
        )
    options = MixOptions(
        path=path,
        plan=MixPlan(
            block_bytes=size_of("--block", values["block"]),
            sizes_bytes=sizes,
            writes=not values["reads_only"],
            duration_s=values["duration_s"],
            warmup_s=values["warmup_s"],
        ),
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        output=values["output"],
        picture=values["picture"],
        force=values["force"],
    )
    if options.picture is not None and options.picture_format not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"--picture {options.picture}: unknown format", f"use {endings}")
    return options
