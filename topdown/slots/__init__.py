"""Pipeline slots: CPU models, counting, and the tree of slots computed from counts."""
