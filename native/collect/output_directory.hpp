// The directory of a recording: made with mode 0700, never followed through a link inside, and
// replaced only where it holds a recording of ours and that was asked for. Until it is committed it
// is no recording: its end takes back what was made here, and what was to be replaced is there
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::collect {

class output_directory {
 public:
  // Throws failure (usage) where the directory is taken or cannot be written.
  output_directory(std::string path, bool force);
  output_directory(const output_directory&) = delete;
  output_directory& operator=(const output_directory&) = delete;
  ~output_directory();

  [[nodiscard]] const std::string& path() const { return path_; }
  // A new file of ours; what has its name is unlinked first, never opened.
  [[nodiscard]] descriptor create(const std::string& name);
  // Gives a file its own name, once it is whole.
  void publish(const std::string& written, const std::string& name);
  // Replaces a file by its new content at once, or throws std::system_error.
  void replace(const std::string& name, const std::string& content);
  // Sets room aside for the next replacement, so that a full disk still lets it happen.
  void reserve(const std::string& name);
  void remove(const std::string& name);
  // What this user may still write on its file system; nothing where that is not known.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes() const;
  [[nodiscard]] std::uint64_t size_of(const std::string& name) const;
  // The recording stays. What it replaces, which stood aside under hidden names, goes.
  void commit();

 private:
  void open_existing(bool force);
  void discard();
  std::string path_;
  bool committed_ = false;
  bool made_ = false;
  descriptor fd_;
  std::vector<std::string> created_;
  std::vector<std::string> set_aside_;
};

}  // namespace stallscope::collect
