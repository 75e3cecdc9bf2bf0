// The requests that a target_reader sends to its helper, and their answers. An answer is a sequence
// of pieces, each with its size in 32 bits before its bytes; an empty piece ends it. Both ends are
// the same program; the reader checks sizes, because the helper parses untrusted files.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/procfs.hpp"

namespace stallscope::collect {

enum class request_kind : std::uint32_t {
  records,
  records_with_tables,
  mappings,
  table,
  python,
  runtime,
  readings_at_start,
  readings_at_end
};

struct target_request {
  request_kind kind = request_kind::records;
  pid_t pid = 0;
  memory_mapping mapping{};  // with request_kind::table
};

struct code_mappings {
  std::vector<memory_mapping> mappings;
  std::uint64_t executable_inode = 0;
};

inline constexpr std::size_t max_request_bytes = std::size_t{128} << 10U;
inline constexpr std::size_t max_piece_bytes = std::size_t{64} << 20U;

std::vector<std::byte> encode(const target_request& request);
// Incomplete bytes give an empty request.
target_request decode_request(std::span<const std::byte> bytes);

std::vector<std::byte> encode(const code_mappings& code);
// Invalid bytes end the list.
code_mappings decode_mappings(std::span<const std::byte> bytes);

// Reads the executable mappings from /proc.
code_mappings read_code_mappings(const procfs& proc, pid_t pid);

// Serves requests from the socket until its other end is closed: the body of the helper.
void serve_targets(const procfs& proc, int socket);

}  // namespace stallscope::collect
