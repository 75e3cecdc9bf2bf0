"""`stallscope waits`: wall time of threads by state, locks and the causes of waits."""
