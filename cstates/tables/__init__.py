"""Tables of declared sleep states: of known CPUs, of this machine, or from a CSV file."""

from cstates.tables.known import known_table_names, load_table
from cstates.tables.state_table import DeclaredState, StateTable

__all__ = ["DeclaredState", "StateTable", "known_table_names", "load_table"]
