"""`stallscope bench run`: commands in random order, each measured many times."""
