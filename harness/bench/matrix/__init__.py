"""Results of servers, clients and data sets in the layout that neotest published in 2017."""
