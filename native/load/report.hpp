// The output of the loader: one JSON line per second and one at the end. Any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "load/measurements.hpp"
#include "load/options.hpp"

namespace stallscope::load {

struct load_result {
  measurements all;
  std::vector<thread_account> threads;
  bool interrupted = false;
  std::string log_error;  // why the interval logs are incomplete; empty if they are complete

  // The measured time: that of the thread that measured longest.
  [[nodiscard]] std::chrono::nanoseconds measured() const;
};

// JSON lines without a line end.
std::string started_line(const options& settings);
std::string second_line(double at_s, const measurements& values);
std::string done_line(const options& settings, const load_result& result);
// The same with the options and the account of each thread, for load.json.
std::string load_document(const options& settings, const load_result& result, double started_at_s);

// The reason if the target failed: it closed its connections, answered only errors, or mixed up
// replies. Empty if it did not.
std::string target_failure(const load_result& result);

}  // namespace stallscope::load
