"""Changes settings around a command and restores them.

``knobs`` is the table of what can be set, in the order it is set. ``plan`` makes changes of a
``request`` (``idle_plan``, ``frequency_plan``, ``system_plan``, ``process_scope`` by subject);
``journal`` keeps the former values before the first write, ``applying`` writes, ``restoring`` puts
back, ``guardian`` does that where the one who pinned was killed. ``session`` runs a command between
both; ``effects`` and ``watching`` tell whether the pin held.
"""
