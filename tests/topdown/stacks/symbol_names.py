"""Names of addresses by a table of symbols."""

import numpy as np


def names_at(table, *addresses: int) -> list[str | None]:
    groups = table.look_up(np.array(addresses, np.uint64))
    return [table.names(np.array([g]))[0].decode() if g >= 0 else None for g in groups.tolist()]
