// The directory that a run writes: three interval logs, appended to each second, and load.json at
// the end. The directory is made with mode 0700 where it is not there; files are new, never opened
// through a link. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "histogram/interval_log.hpp"
#include "load/measurements.hpp"

namespace stallscope::load {

class output_files {
 public:
  // Throws failure (usage) where the directory cannot be written or holds a run already.
  explicit output_files(std::string directory);
  // Where nothing was begun, nothing is left.
  ~output_files();
  output_files(const output_files&) = delete;
  output_files& operator=(const output_files&) = delete;
  output_files(output_files&&) = delete;
  output_files& operator=(output_files&&) = delete;

  // Writes the heads; times count from then on, seconds since 1970. Throws std::system_error.
  void begin(double start_s);
  void append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
              const measurements& values);
  // Writes load.json at once whole.
  void finish(const std::string& document);

 private:
  [[nodiscard]] descriptor create(const std::string& name) const;

  std::string path_;
  descriptor directory_;
  descriptor intended_file_;
  descriptor service_file_;
  descriptor lag_file_;
  std::optional<histogram::interval_log> intended_;
  std::optional<histogram::interval_log> service_;
  std::optional<histogram::interval_log> lag_;
};

}  // namespace stallscope::load
