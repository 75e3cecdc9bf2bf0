"""`stallscope lab storm`: a reader beside a storm of writes through a limited I/O queue."""
