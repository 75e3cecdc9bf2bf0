// Marks of requests, with which `stallscope requests` cuts the server's waits by request. A request
// whose marks are recorded has a number above 0; all functions ignore 0, which costs a branch.
//
//   marker.begin(words);              // of the request that is dispatched
//   slot.mark = marker.take();
//   pause_request(slot.mark, "log");  // no thread works on it
//   continue_request(slot.mark);
//   end_request(slot.mark);
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "requests/stallscope_request.h"
#include "server/commands/command.hpp"

namespace stallscope::server {

inline void pause_request(std::uint64_t mark, const char* reason) noexcept {
  if (mark != 0) stallscope_request_suspend(mark, reason);
}

inline void continue_request(std::uint64_t mark) noexcept {
  if (mark != 0) stallscope_request_resume(mark);
}

inline void end_request(std::uint64_t& mark) noexcept {
  if (mark != 0) stallscope_request_end(std::exchange(mark, 0));
}

// Numbers the marked requests of one shard, on its thread. It holds the mark of the request that is
// dispatched and has no slot.
class request_marker {
 public:
  explicit request_marker(std::size_t shard) noexcept : shard_{shard} {}

  // Begins a mark, named after the first word in lower case.
  [[gnu::noinline]] void begin(request_words words) noexcept;
  [[nodiscard]] std::uint64_t take() noexcept { return std::exchange(current_, 0); }
  void end() noexcept { end_request(current_); }

 private:
  std::uint64_t shard_;
  std::uint64_t count_ = 0;
  std::uint64_t current_ = 0;
};

}  // namespace stallscope::server
