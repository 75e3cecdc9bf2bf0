"""How far a share of samples may lie from the true one by chance."""

import math


def five_standard_errors(share: float, samples: int) -> float:
    """Return five standard errors of a share, 0..1, that random samples tell.

    One in 1.7 million is farther away: a test that allows less fails now and then without a fault.
    """
    return 5 * math.sqrt(share * (1 - share) / samples)
