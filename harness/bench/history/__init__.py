"""`stallscope bench history`: benchmark results over time, and the runs in which they changed."""
