// The directory of a recording. It is created with mode 0700, links inside it are never followed,
// and an existing recording is replaced only with `force`. Until commit(), the destructor removes
// the new files and restores the old recording; if the program is killed before, the next program
// that opens the directory does. Some system calls per file. One thread.
//
//   output_directory output{"run", false};
//   sample_file samples{output.create("samples.perf")};
//   output.replace("recording.json", text);
//   output.commit();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::collect {

class output_directory {
 public:
  // Throws failure (usage) if the directory is in use or cannot be written.
  output_directory(std::string path, bool force);
  output_directory(const output_directory&) = delete;
  output_directory& operator=(const output_directory&) = delete;
  ~output_directory();

  [[nodiscard]] const std::string& path() const { return path_; }
  // Creates a file. A file with that name is unlinked first, never opened.
  [[nodiscard]] descriptor create(const std::string& name);
  // Renames a complete file to its final name.
  void publish(const std::string& temporary, const std::string& name);
  // Replaces the content of a file atomically, or throws std::system_error.
  void replace(const std::string& name, const std::string& content);
  // Reserves disk space for the next replace(), so that it succeeds on a full disk.
  void reserve(const std::string& name);
  void remove(const std::string& name);
  // The bytes that this user may still write on the file system; nullopt if unknown.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes() const;
  [[nodiscard]] std::uint64_t size_of(const std::string& name) const;
  // Keeps the recording, and deletes the replaced recording, which was kept under hidden names.
  void commit();

 private:
  [[nodiscard]] bool exists(const std::string& name) const;
  [[nodiscard]] int unlink_old(const std::string& name) const;
  void restore_replaced();
  void open_existing(bool force);
  void discard();
  std::string path_;
  bool committed_ = false;
  bool created_directory_ = false;
  descriptor fd_;
  std::vector<std::string> created_;
  std::vector<std::string> set_aside_;
};

}  // namespace stallscope::collect
