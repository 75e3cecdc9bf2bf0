// Build ids: the GNU note of an ELF file, 32 or 64 bits, in the host's byte order. The file is
// hostile input: every size is bounded, nothing is mapped, and a malformed file has no build id.
// Costs a few preads per file. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/procfs.hpp"

namespace stallscope::collect {

inline constexpr std::size_t max_build_id_bytes = 20;

using build_id = std::vector<std::byte>;  // empty: none

// Returns the build id in a sequence of ELF notes, as in /sys/kernel/notes.
build_id build_id_of_notes(std::span<const std::byte> notes);

// Returns the build id of an open file.
build_id build_id_of_file(int fd);

// Returns the build id of a mapped file. Opens it through /proc/PID while the process lives, so
// that deleted files and other mount namespaces work. Opens regular files only.
build_id build_id_of_mapping(const procfs& proc, pid_t pid, const memory_mapping& mapping);

}  // namespace stallscope::collect
