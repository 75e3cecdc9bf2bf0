"""What sleep states and frequency changes cost.

Reading the machine: ``sysfs`` (roots and CPUs), ``idle.states``, ``latency_limit``, ``frequency``,
and ``observation``, which reads all of them at once or over an interval. None of these writes.
``idle`` records idle intervals, ``advice`` evaluates them, ``wake_latency`` and ``comparison``
measure settings against each other, ``simulation`` and ``tables`` replay governors. Only
``pinning`` changes settings, and restores them.
"""
