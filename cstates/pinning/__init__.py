"""Changes machine settings around a command and restores them.

``knobs`` is the table of settings, in the order they are applied. ``plan`` turns a ``request`` into
changes (by subject: ``idle_plan``, ``frequency_plan``, ``system_plan``, ``process_scope``).
``journal`` stores the old values before the first write, ``applying`` writes, ``restoring``
restores, and ``guardian`` restores after the pinning process was killed. ``session`` runs a command
between applying and restoring; ``effects`` and ``watching`` show whether the settings held.
"""
