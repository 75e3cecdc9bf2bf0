"""`stallscope cstates record`."""
