// What /proc tells about processes. Everything in it may vanish between two reads: a process that
// is gone gives empty answers, never an error. Names are strangers' input and may be any bytes.
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
  [[nodiscard]] std::vector<pid_t> children(pid_t pid) const;  // of all its threads
  [[nodiscard]] std::optional<process_status> status(pid_t tid) const;
  [[nodiscard]] std::string thread_name(pid_t pid, pid_t tid) const;
  // Calls back with each mapping of a process, by rising address, as it is read.
  void visit_mappings(pid_t pid, const std::function<void(const memory_mapping&)>& visit) const;

 private:
  std::filesystem::path root_;
};

// A mapped file, opened through the process while it lives, so that deleted files and other mount
// namespaces are no obstacle; nothing where it is not a regular file, or not the one mapped.
descriptor open_mapped_file(const procfs& proc, pid_t pid, const memory_mapping& mapping);

// One line of /proc/PID/maps; nothing where it is malformed.
std::optional<memory_mapping> parse_mapping(const std::string& line);

// Calls back with each line of a file, without its end, and with none longer than 64 KiB; stops
// where false comes back. False where the file cannot be read.
bool for_each_line(const std::string& path, const std::function<bool(std::string_view)>& visit);

// A file's content, empty where it cannot be read; at most limit bytes.
std::string read_text(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 22U);

}  // namespace stallscope
