// The directory that holds the segments of all shards. It belongs to one server at a time. Without
// a path, segments are unnamed files that disappear with the process.
//
// Files that another user could have made are not trusted: the directory and its files must belong
// to this user, and files must be neither symbolic links nor hard-linked twice.
//
// The first block of a segment identifies the store: number of shards, seed that assigns keys to
// shards, secret of the records, and the shard and number of the segment. A sealed segment also
// stores where its records end; anything missing before that point is damage, not an unfinished
// write.
//
//     const data_directory directory("/var/lib/stallscope", 4);
//     segment_file file = directory.create({.shard = 0, .number = 1}, 64 << 20);
//
// Thread: any, after construction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "store/key_hash.hpp"

namespace stallscope::value_log {

struct store_identity {
  std::uint32_t shards = 1;
  store::hash_seed keys{};
  store::hash_seed secret{};
};

struct segment_name {
  std::uint32_t shard = 0;
  std::uint32_t number = 0;

  bool operator==(const segment_name&) const = default;
};

struct segment_file {
  descriptor file;
  bool direct = false;      // opened with O_DIRECT
  std::uint64_t bytes = 0;  // size of the file
  bool sound_head = true;   // false if the first block is damaged
  // End of the records of a sealed segment.
  std::optional<std::uint64_t> sealed_end{};
};

class data_directory {
 public:
  // An empty path means unnamed files in $TMPDIR or /var/tmp. Throws std::system_error; throws
  // std::invalid_argument if the directory is not private, is in use, was written with another
  // number of shards, or holds a segment under a wrong name.
  data_directory(const std::string& path, std::uint32_t shards);

  [[nodiscard]] const store_identity& identity() const noexcept { return identity_; }
  [[nodiscard]] bool temporary() const noexcept { return temporary_; }
  [[nodiscard]] int fd() const noexcept { return directory_.get(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Segment numbers of a shard, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> segments_of(std::uint32_t shard) const;
  // Creates a segment of `bytes` bytes, zero except for the first block. Its name is durable on
  // return. Throws std::system_error, for example if there is no space. Takes milliseconds.
  [[nodiscard]] segment_file create(const segment_name& name, std::uint64_t bytes) const;
  [[nodiscard]] segment_file open(const segment_name& name) const;
  // Records the end of the records in the first block. Returns false if the write fails; the
  // segment then counts as unsealed.
  [[nodiscard]] bool seal(int file, const segment_name& name, std::uint64_t end) const noexcept;
  // Ignores errors: the segment is then recovered again at the next start.
  void remove(const segment_name& name) const noexcept;

  [[nodiscard]] std::string name_of(const segment_name& name) const;

 private:
  void open_own(std::uint32_t shards);
  void open_temporary();
  void adopt_identity(std::uint32_t shards);
  [[nodiscard]] std::vector<segment_name> all_segments() const;
  [[nodiscard]] segment_file open_file(const segment_name& name) const;

  std::string path_;
  descriptor directory_;
  bool temporary_ = false;
  store_identity identity_;
};

}  // namespace stallscope::value_log
