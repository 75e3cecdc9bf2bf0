// The recursion of Cheung and Klotz for the Mann-Whitney distribution with ties, as benchstat's
// library has it. It counts too many splits for values of U that no split has, which benchstat
// prints as p-values above 1; this copy keeps the numbers equal. stallscope's own p-values do not
// use it.
#pragma once

#include <cstdint>
#include <span>

namespace stallscope::benchmark_text {

// Splits with at most doubled_u / 2 as U of a first sample of size n1; at least two different
// values.
double klotz_count(std::span<const std::uint32_t> tie_sizes, std::size_t n1,
                   std::uint64_t doubled_u);

}  // namespace stallscope::benchmark_text
