"""`stallscope bench`: benchmark runs, their comparison, a gate, scalability and history."""
