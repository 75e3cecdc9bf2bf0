// What the loader tells: a line of JSON a second and one at the end, for programs. Any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "load/measurements.hpp"
#include "load/options.hpp"

namespace stallscope::load {

struct outcome {
  measurements all;
  std::vector<thread_account> threads;
  bool interrupted = false;
  std::string log_error;  // why the interval logs are not whole, if they are not

  // How long the measured time was: that of the thread that measured longest.
  [[nodiscard]] std::chrono::nanoseconds measured() const;
};

// Lines without their end.
std::string started_line(const options& asked);
std::string second_line(double at_s, const measurements& values);
std::string done_line(const options& asked, const outcome& found);
// The same with what was asked and each thread's account, for the file load.json.
std::string load_document(const options& asked, const outcome& found, double started_at_s);

// Whether the target failed: it went away, never answered without an error, or mixed up replies;
// why, or nothing.
std::string target_failure(const outcome& found);

}  // namespace stallscope::load
