// Reads process information from /proc. A process may exit between two reads: the functions then
// return empty results. They throw std::system_error without descriptors or memory. Names are
// untrusted and may contain any bytes. Any thread.
//
//   const procfs proc;
//   for (const pid_t pid : proc.processes()) proc.status(pid);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope {

struct process_status {
  std::string name;
  pid_t tgid = 0;
  pid_t parent = 0;
  char state = '?';
};

struct memory_mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t page_offset = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint64_t inode = 0;
  std::uint32_t protection = 0;  // PROT_ bits
  bool shared = false;
  std::string path;  // empty for anonymous memory
};

class procfs {
 public:
  explicit procfs(std::filesystem::path root = "/proc") : root_{std::move(root)} {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::vector<pid_t> processes() const;
  [[nodiscard]] std::vector<pid_t> threads(pid_t pid) const;
  [[nodiscard]] std::vector<pid_t> children(pid_t pid) const;  // children of all its threads
  [[nodiscard]] std::optional<process_status> status(pid_t tid) const;
  [[nodiscard]] std::string thread_name(pid_t pid, pid_t tid) const;
  // Calls `visit` for the mappings of a process in order of address, until it returns false.
  void visit_mappings(pid_t pid, const std::function<bool(const memory_mapping&)>& visit) const;

 private:
  std::filesystem::path root_;
};

// A mapped file, opened through the process while it lives, so that deleted files and other mount
// namespaces are no obstacle; nothing where it is not a regular file, or not the one mapped.
descriptor open_mapped_file(const procfs& proc, pid_t pid, const memory_mapping& mapping);

// Parses a line of /proc/PID/maps; empty if the line is malformed.
std::optional<memory_mapping> parse_mapping(const std::string& line);

// Calls `visit` for the lines of a file, without newline and cut to 64 KiB, until it returns false.
// Returns false if the file cannot be read.
bool for_each_line(const std::string& path, const std::function<bool(std::string_view)>& visit);

// Returns the content of a file, at most `limit` bytes; empty if it cannot be read.
std::string read_text(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 22U);

}  // namespace stallscope
