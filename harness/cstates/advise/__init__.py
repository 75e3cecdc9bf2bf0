"""`stallscope cstates advise`."""
