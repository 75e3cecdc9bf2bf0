"""Where slots went, for people and scripts: the engine, texts and files of `stallscope topdown`."""
