"""Which model a CPU has: by the machine's /proc/cpuinfo, by a MIDR, or by a name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from stallscope.errors import UnableError, UsageError
from stallscope.host import first_cpu
from stallscope.system_files import Roots
from topdown.slots.model import Match, Model, keys, load

ARM = 0x41
_REVISION = re.compile(r"r(\d+)p(\d+)")
# Features that no older CPU has, by their names in /proc/cpuinfo, and the models of those that do.
_SINCE = {("GenuineIntel", "amx_tile"): ("spr", "emr", "gnr")}
_LARGEST_FIELD = 12  # digits of a number in /proc/cpuinfo


@dataclass(frozen=True, slots=True)
class Identity:
    """What a CPU says of itself; the fields of the other architecture are 0 or empty."""

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
    """Return the first CPU's identity; None where /proc/cpuinfo does not say it."""
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
    """Return the identity that a recording keeps of its CPU, as perf writes it; None where none.

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
        return int(fields.get(name, "")[:_LARGEST_FIELD], 0)
    except ValueError:
        return 0


def model_of_identity(identity: Identity) -> Model | None:
    """Return the model of a CPU; None where there is none."""
    for key in keys():
        model = load(key)
        if any(_matches(match, identity) for match in model.matches):
            return model
    return None


def _matches(match: Match, identity: Identity) -> bool:
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
    found = _REVISION.fullmatch(text)
    if found is None:
        raise UnableError(f"model: {text!r} is no revision as r0p3", "install stallscope again")
    return int(found[1]), int(found[2])


def model_named(name: str) -> Model:
    """Return the model of a name or alias, in any case; UsageError suggests the nearest."""
    wanted = name.strip().lower()
    if wanted in keys():
        return load(wanted)
    aliases = {alias: key for key in keys() for alias in load(key).aliases}
    if wanted in aliases:
        return load(aliases[wanted])
    near = get_close_matches(wanted, [*keys(), *aliases], n=3)
    known = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(keys())}"
    raise UsageError(f"no model of a CPU {name[:80]!r}", known)


def model_of_machine(roots: Roots) -> Model:
    """Return the model of the machine at the roots; UnableError where it has none."""
    identity = read_identity(roots)
    model = None if identity is None else model_of_identity(identity)
    if model is None:
        what = "this CPU does not say what it is" if identity is None else identity.describe()
        raise UnableError(
            f"no model of this machine's CPU: {what}",
            f"name the CPU that was counted with --cpu: {', '.join(keys())}",
        )
    return model


def contradiction(roots: Roots, model: Model) -> str | None:
    """Return what a CPU's features say against the model that its number names; None if nothing.

    A hypervisor may tell a number that is not the CPU's, and pass its features on.
    """
    fields = first_cpu(roots)
    for (vendor, feature), having in _SINCE.items():
        known = feature in fields.get("flags", "").split() and fields.get("vendor_id") == vendor
        if known and model.cpu not in having:
            return (
                f"this CPU has {feature}, which {model.title} has not: its model number, "
                f"{fields.get('model', '?')}, may be the hypervisor's own; --cpu "
                f"{', '.join(having[:-1])} or {having[-1]} takes another model"
            )
    return None
