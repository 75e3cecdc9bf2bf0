"""`stallscope cstates`: the cost of sleep states, a folder for each verb."""
