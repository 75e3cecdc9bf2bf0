"""`stallscope lab kernels`: the diagnosis of programs whose bottleneck is known."""
