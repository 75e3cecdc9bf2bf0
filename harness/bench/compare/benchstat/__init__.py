"""`--style benchstat`: the tables of golang.org/x/perf/cmd/benchstat, byte for byte."""
