// Checks of the counted phases at the end: whether there was one, and whether each was counted from
// its mark to its mark. Pure computation. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/failure.hpp"
#include "count/count_document.hpp"

namespace stallscope::count {

// `bad_lines` is the number of lines that were not marks.
std::vector<warning> check_phases(std::span<const counted_phase> phases, std::uint64_t bad_lines);

}  // namespace stallscope::count
