"""`stallscope cstates simulate`."""
