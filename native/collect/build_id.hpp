// Build ids: the GNU note of an ELF file, of either class in the host's byte order. The file is
// hostile input: every size is bounded, nothing is mapped, and what is malformed has no build id.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/procfs.hpp"

namespace stallscope::collect {

inline constexpr std::size_t max_build_id_bytes = 20;

using build_id = std::vector<std::byte>;  // empty: none

// The id among a run of ELF notes, as in /sys/kernel/notes.
build_id build_id_of_notes(std::span<const std::byte> notes);

// The id of an open file.
build_id build_id_of_file(int fd);

// The id of a mapped file, opened through the process while it lives, so that deleted files and
// other mount namespaces are no obstacle. Never opens anything but regular files.
build_id build_id_of_mapping(const procfs& proc, pid_t pid, const memory_mapping& mapping);

}  // namespace stallscope::collect
