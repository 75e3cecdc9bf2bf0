"""`stallscope cstates show`."""
