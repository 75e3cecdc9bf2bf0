"""The model of a CPU: by /proc/cpuinfo, by a MIDR, or by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from stallscope.errors import UnableError, UsageError
from stallscope.host import first_cpu
from stallscope.system_files import Roots
from topdown.slots.model import CpuMatch, Model, keys, load

ARM = 0x41
_REVISION = re.compile(r"r(\d+)p(\d+)")
# CPU features by their names in /proc/cpuinfo, and the only models that have them.
_MODELS_WITH = {("GenuineIntel", "amx_tile"): ("spr", "emr", "gnr")}
_MAX_DIGITS = 12  # of a number in /proc/cpuinfo


@dataclass(frozen=True, slots=True)
class Identity:
    """The identification of a CPU; fields of the other architecture are 0 or empty."""

    vendor: str = ""
    family: int = 0
    model: int = 0
    stepping: int = 0
    implementer: int = 0
    part: int = 0
    revision: tuple[int, int] = (0, 0)

    def describe(self) -> str:
        """Return the identity in one line."""
        if self.vendor:
            return f"{self.vendor} family {self.family} model {self.model} stepping {self.stepping}"
        major, minor = self.revision
        return f"implementer {self.implementer:#x} part {self.part:#x} r{major}p{minor}"


def read_identity(roots: Roots) -> Identity | None:
    """Return the first CPU's identity, or None if /proc/cpuinfo does not contain it."""
    fields = first_cpu(roots)
    if "vendor_id" in fields:
        return Identity(
            vendor=fields["vendor_id"],
            family=_number(fields, "cpu family"),
            model=_number(fields, "model"),
            stepping=_number(fields, "stepping"),
        )
    if "CPU implementer" in fields:
        return Identity(
            implementer=_number(fields, "CPU implementer"),
            part=_number(fields, "CPU part"),
            revision=(_number(fields, "CPU variant"), _number(fields, "CPU revision")),
        )
    return None


def identity_of_midr(midr: int) -> Identity:
    """Return the identity in an arm64 MIDR_EL1 (Arm ARM D19.2): implementer, part, revision."""
    return Identity(
        implementer=midr >> 24 & 0xFF,
        part=midr >> 4 & 0xFFF,
        revision=(midr >> 20 & 0xF, midr & 0xF),
    )


def identity_of_recording(cpu_id: str) -> Identity | None:
    """Return the CPU identity in a recording, in perf's format, or None without one.

    x86 is "vendor,family,model,stepping", arm64 "implementer,part,variant,revision".
    """
    words = cpu_id.split(",")
    if len(words) != 4:
        return None
    names = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")
    arm = words[0].startswith("0x")
    fields = dict(zip(names if arm else ("", "family", "model", "stepping"), words, strict=True))
    if arm:
        implementer, part, variant, revision = (_number(fields, name) for name in names)
        return Identity(implementer=implementer, part=part, revision=(variant, revision))
    return Identity(
        vendor=words[0],
        family=_number(fields, "family"),
        model=_number(fields, "model"),
        stepping=_number(fields, "stepping"),
    )


def _number(fields: Mapping[str, str], name: str) -> int:
    try:
        return int(fields.get(name, "")[:_MAX_DIGITS], 0)
    except ValueError:
        return 0


def model_of_identity(identity: Identity) -> Model | None:
    """Return the model of a CPU, or None if there is none."""
    for key in keys():
        model = load(key)
        if any(_matches(match, identity) for match in model.matches):
            return model
    return None


def _matches(match: CpuMatch, identity: Identity) -> bool:
    if match.vendor:
        return (
            (match.vendor, match.family) == (identity.vendor, identity.family)
            and any(first <= identity.model <= last for first, last in match.models)
            and match.steppings[0] <= identity.stepping <= match.steppings[1]
        )
    oldest, newest = (_revision(text) for text in match.revisions)
    return (match.implementer, match.part) == (identity.implementer, identity.part) and (
        oldest <= identity.revision <= newest
    )


def _revision(text: str) -> tuple[int, int]:
    match = _REVISION.fullmatch(text)
    if match is None:
        raise UnableError(f"model: {text!r} is not a revision such as r0p3", "reinstall stallscope")
    return int(match[1]), int(match[2])


def model_named(name: str) -> Model:
    """Return a model by name or alias, in any case. Raises UsageError with the nearest names."""
    key = name.strip().lower()
    if key in keys():
        return load(key)
    aliases = {alias: model for model in keys() for alias in load(model).aliases}
    if key in aliases:
        return load(aliases[key])
    nearest = get_close_matches(key, [*keys(), *aliases], n=3)
    remedy = f"nearest: {', '.join(nearest)}" if nearest else f"known: {', '.join(keys())}"
    raise UsageError(f"unknown CPU model {name[:80]!r}", remedy)


def model_of_machine(roots: Roots) -> Model:
    """Return the model of the machine at the roots. Raises UnableError if it has none."""
    identity = read_identity(roots)
    model = None if identity is None else model_of_identity(identity)
    if model is None:
        cpu = "it is not identified" if identity is None else identity.describe()
        raise UnableError(
            f"no model of this machine's CPU: {cpu}",
            f"name the CPU that was counted with --cpu: {', '.join(keys())}",
        )
    return model


def contradiction(roots: Roots, model: Model) -> str | None:
    """Return a warning if the CPU's features contradict its model number, or None.

    A hypervisor may report another model number and pass the CPU's features through.
    """
    fields = first_cpu(roots)
    for (vendor, feature), models in _MODELS_WITH.items():
        present = feature in fields.get("flags", "").split() and fields.get("vendor_id") == vendor
        if present and model.cpu not in models:
            return (
                f"this CPU has {feature}, which {model.title} lacks: its model number, "
                f"{fields.get('model', '?')}, may come from the hypervisor; select another "
                f"model with --cpu {', '.join(models[:-1])} or {models[-1]}"
            )
    return None
