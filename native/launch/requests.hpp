// The protocol of stallscope-launch: requests on one descriptor, replies on another. Numbers are
// 64-bit and little-endian.
//
// A request is request_fields numbers, then strings that end in NUL: directory, arguments,
// environment. A reply is reply_fields numbers, then the output of the command. The numbers are in
// the order of the enumerations; stallscope/launcher.py has the same order.
#pragma once

#include <cstddef>
#include <optional>

#include "launch/command.hpp"

namespace stallscope::launch {

enum class request_field : std::size_t {
  time_limit_ns,
  grace_ns,
  output_limit,
  is_server,
  arguments,
  environment,
  string_bytes,
  count
};

enum class reply_field : std::size_t {
  start_error,  // errno, or 0 if the command ran
  status,
  begin_ns,
  wall_ns,
  user_us,
  system_us,
  max_rss_bytes,
  minor_faults,
  major_faults,
  voluntary_switches,
  involuntary_switches,
  timed_out,
  leftovers,
  output_cut,
  output_bytes,
  count
};

// Returns the next request; empty at the end of the input. Throws failure if it is malformed.
std::optional<command> read_request(int fd);

void write_reply(int fd, const completed_run& run);
void write_start_error(int fd, int error);

}  // namespace stallscope::launch
