"""What sleeping and changing frequency costs.

The reading side: ``sysfs`` (roots, CPUs), ``idle_states``, ``latency_limit``, ``frequency``,
``observation`` (all of them at once, and over an interval). The simulator: ``tables`` (known
states), ``trace``, ``workloads``, ``governors``, ``simulation``. Changing settings lives apart, in
``pinning``; it may read through the reading side, which never writes.
"""
