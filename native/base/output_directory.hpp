// Opens directories for output in which no other user can redirect what root writes.
//
// If another user could replace a directory on the way, root would write to a place of that user's
// choice. For root, each directory from / on must therefore belong to a trusted user, as must the
// symbolic links on the way, and only a sticky directory may be writable by others. The trusted
// users are root and the user who started sudo (SUDO_UID). For other users, the permissions of the
// files decide. stallscope/output_place.py applies the same rule. Some system calls for each
// component; any thread.
//
//   const auto made = make_output_directory("run");
//   ::openat(made.directory.get(), "load.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
#pragma once

#include <string>

#include "base/descriptor.hpp"

namespace stallscope {

struct made_directory {
  descriptor directory;
  bool created = false;
};

// Creates a directory with mode 0700, or opens the existing one. Throws failure (usage) if the path
// is a symbolic link, or if another user owns the directory or could replace it.
[[nodiscard]] made_directory make_output_directory(const std::string& path);

}  // namespace stallscope
