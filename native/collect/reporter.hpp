// Reports the progress of a collection: as JSON lines on a descriptor, or as sentences on standard
// error. Not used while rings are read. If the reader stalls, progress lines are dropped at once
// and other lines after a second. One write per line. One thread.
//
//   reporter report{options.progress_fd};
//   report.started(notice);
//   report.progress(numbers);
//   report.finished(numbers, exit_code::done, "duration", warnings);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/failure.hpp"

namespace stallscope::collect {

inline constexpr int protocol_version = 1;

struct progress_numbers {
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  // Windows read so far, if events are counted and not sampled.
  std::optional<std::uint64_t> windows = std::nullopt;
  // Requests that ended, then those that took longer than each limit; empty without limits.
  std::vector<std::uint64_t> requests{};
};

struct start_notice {
  std::string mode;
  std::string event;
  std::string directory;
  std::vector<int> pids;
  std::string stacks;      // "fp", "dwarf", "mixed"
  std::string stacks_why;  // the method and its reason, as text
  std::vector<warning> warnings;
};

struct counting_notice {
  std::string mode;
  std::string directory;
  std::vector<int> pids;
  std::size_t events = 0;
  std::size_t groups = 0;
  std::vector<warning> warnings;
};

class reporter {
 public:
  // With a negative descriptor, sentences go to standard error.
  explicit reporter(int progress_fd);

  // Preparation is complete, and the collector waits for "enable".
  void ready();
  void started(const start_notice& notice);
  void counting(const counting_notice& notice);
  void progress(const progress_numbers& numbers);
  // `warnings` holds all warnings; only those that started() did not report are reported here.
  void finished(const progress_numbers& numbers, exit_code code, const std::string& reason,
                std::span<const warning> warnings);
  void error(const failure& problem);

  // The descriptor of all messages, and the text of an error on it.
  [[nodiscard]] int fd() const;
  [[nodiscard]] std::string format(const failure& problem) const;

 private:
  void line(const std::string& text, int patience_ms = 1000) const;
  void sentence(const std::string& text) const;
  void print_warnings(std::span<const warning> warnings);
  int fd_;
  std::string directory_;
  std::size_t reported_warnings_ = 0;
};

}  // namespace stallscope::collect
