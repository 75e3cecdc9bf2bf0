"""The distance of a sampled share from the true share that chance explains."""

import math


def five_standard_errors(share: float, samples: int) -> float:
    """Five standard errors of a share (0..1) that is estimated from random samples.

    One sample in 1.7 million lies farther away. A test with a smaller tolerance fails at random.
    """
    return 5 * math.sqrt(share * (1 - share) / samples)
