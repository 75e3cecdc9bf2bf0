// Marks of requests, with which `stallscope requests` cuts the server's waits by request. A request
// whose marks are recorded has a number above 0; all functions ignore 0, which costs a branch.
//
//   slot.mark = std::exchange(current_mark_, 0);
//   pause_request(slot.mark, "log");  // no thread works on it
//   continue_request(slot.mark);
//   end_request(slot.mark);
#pragma once

#include <cstdint>
#include <utility>

#include "requests/stallscope_request.h"

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

}  // namespace stallscope::server
