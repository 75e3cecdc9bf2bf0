"""`stallscope cstates`: what is shown of sleep states and simulated governors."""
