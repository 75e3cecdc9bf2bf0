"""`stallscope top`: what limits a process or the machine now, as a live view of the terminal."""
