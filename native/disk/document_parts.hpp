// What the result lines of stallscope-ioqueue have in common. Only for .cpp files: it brings
// nlohmann's JSON with it. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "disk/measurements.hpp"

namespace stallscope::disk {

// min, mean, percentiles and max in ns; null where there was none.
nlohmann::ordered_json latency_document(const latencies& of);

// [lowest, highest, count] of each bucket that holds something.
nlohmann::ordered_json bucket_list(const histogram::histogram& values);

// Counts by the errors' names.
nlohmann::ordered_json error_counts(const std::map<int, std::uint64_t>& by_errno);

}  // namespace stallscope::disk
