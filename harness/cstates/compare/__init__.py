"""`stallscope cstates compare`."""
