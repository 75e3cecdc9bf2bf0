// Parts that the result lines of stallscope-ioqueue share. Include it only in .cpp files, because
// it includes nlohmann's JSON. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "disk/measurements.hpp"

namespace stallscope::disk {

// min, mean, percentiles and max in ns; null if there were no requests.
nlohmann::ordered_json latency_document(const latencies& latency);

// [lowest, highest, count] per bucket that is not empty.
nlohmann::ordered_json bucket_list(const histogram::histogram& values);

// Counts by errno name.
nlohmann::ordered_json error_counts(const std::map<int, std::uint64_t>& by_errno);

}  // namespace stallscope::disk
