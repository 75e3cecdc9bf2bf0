"""The argument of commands that read a recording."""

RUN_HELP = "RUN is a directory that record or profile made, or a perf.data file."
