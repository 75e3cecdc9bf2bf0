"""Modules of a profile with their shares of the weight."""

from stallscope.documents import Amount, Count, Record
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.ranking import RankedFunction, Ranking, rank


class ProfileModule(Record, frozen=True, kw_only=True):
    """A package, script or native object; shares are of the weight sampled, None: no samples.

    ``kind``: as of functions; "user": a native object.
    """

    name: str
    kind: str
    self_share: Amount | None
    total_share: Amount | None
    self_samples: Count


def modules_by_share(ranking: Ranking) -> list[RankedFunction]:
    """Return the modules of stacks; tables of functions also have entries that no stack has."""
    return [row for row in ranking.functions if row.total_value > 0]


def module_results(modules: Profile, top: int | None) -> tuple[ProfileModule, ...]:
    """Return the modules of a profile grouped by module, the largest self share first.

    ``top``: number of modules to list; None lists all.
    """
    ranking = rank(modules)
    whole = ranking.value
    return tuple(
        ProfileModule(
            name=modules.functions[row.index].name,
            kind=FunctionKind(modules.functions[row.index].kind).name.lower(),
            self_share=row.self_value / whole if whole else None,
            total_share=row.total_value / whole if whole else None,
            self_samples=row.self_samples,
        )
        for row in modules_by_share(ranking)[:top]
    )
