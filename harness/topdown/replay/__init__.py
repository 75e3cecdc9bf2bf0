"""`stallscope topdown --source replay:FILE`: the trees of counts in a file."""
