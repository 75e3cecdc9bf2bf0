// The output directory of a run: three interval logs that grow every second, and load.json at the
// end. The directory is created with mode 0700 if it does not exist; files must be new and are
// never opened through a link. One thread.
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
  // Throws failure (usage) if the directory is not writable or already contains a run.
  explicit output_files(std::string directory);
  // Removes the empty files if begin() was never called.
  ~output_files();
  output_files(const output_files&) = delete;
  output_files& operator=(const output_files&) = delete;
  output_files(output_files&&) = delete;
  output_files& operator=(output_files&&) = delete;

  // Writes the headers; times are relative to `start_s`, in seconds since 1970. Throws
  // std::system_error.
  void begin(double start_s);
  void append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
              const measurements& values);
  // Writes load.json atomically.
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
