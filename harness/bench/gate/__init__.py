"""`stallscope bench gate`: whether a change made a command slower, with a known rate of errors."""
