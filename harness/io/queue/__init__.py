"""`stallscope io queue`: the mount, devices and request queues below a path."""
