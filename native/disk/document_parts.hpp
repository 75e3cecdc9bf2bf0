// Parts that the result lines of stallscope-ioqueue share. Any thread.
#pragma once

#include <cstdint>
#include <map>

#include "base/json.hpp"
#include "disk/measurements.hpp"

namespace stallscope::disk {

// min, mean, percentiles and max in ns; null if there were no requests.
json latency_document(const latencies& latency);

// [lowest, highest, count] per bucket that is not empty.
json bucket_list(const histogram::histogram& values);

// Counts by errno name.
json error_counts(const std::map<int, std::uint64_t>& by_errno);

}  // namespace stallscope::disk
