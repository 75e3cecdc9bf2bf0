"""`stallscope cstates explain`."""
