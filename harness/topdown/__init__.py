"""`stallscope topdown`: the tree of pipeline slots as text, document and page."""
