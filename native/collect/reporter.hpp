// Tells the caller how the collection goes: JSON lines on a descriptor for programs, or sentences
// on stderr for people. Never used while rings are being read; a line that nobody reads is dropped,
// those of progress at once. One thread.
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
  // Read so far, where events are counted and not sampled.
  std::optional<std::uint64_t> windows = std::nullopt;
};

struct start_notice {
  std::string mode;
  std::string event;
  std::string directory;
  std::vector<int> pids;
  std::string stacks;      // "fp", "dwarf", "mixed"
  std::string stacks_why;  // for a person: how, and why so
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
  // A negative descriptor: for people.
  explicit reporter(int progress_fd);

  // Everything is prepared; waiting for "enable".
  void ready();
  void started(const start_notice& notice);
  void counting(const counting_notice& notice);
  void progress(const progress_numbers& numbers);
  // ``warnings``: all there are; those that were not told at the start are told now.
  void finished(const progress_numbers& numbers, exit_code code, const std::string& reason,
                std::span<const warning> warnings);
  void error(const failure& problem);

 private:
  void line(const std::string& text, int patience_ms = 1000) const;
  void sentence(const std::string& text) const;
  void tell(std::span<const warning> warnings);
  int fd_;
  std::string directory_;
  std::size_t told_ = 0;  // warnings
};

}  // namespace stallscope::collect
