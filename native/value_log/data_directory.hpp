// Where the segments of all shards lie: an own directory, which one server uses at a time, or no
// directory at all, but files without a name that go with the process. Nothing is trusted that
// another user could have made: the directory and its files have to be this user's, and files
// neither links nor linked to twice.
//
// Each segment's first block says whose it is: how many shards there are, the seed by which keys
// are dealt out to them, the secret of the records, and the segment's own shard and number. When
// nothing more is written to it, it also says where its records end: what is missing before that is
// damage, and not a write that was not finished. Any thread, once it is made.
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
  bool direct = false;      // past the page cache
  std::uint64_t bytes = 0;  // of the file
  bool sound_head = true;   // false: the first block does not say all that it should
  // Where its records end, once nothing is written to it any more.
  std::optional<std::uint64_t> sealed_end{};
};

class data_directory {
 public:
  // An empty path: files without a name, in $TMPDIR or /var/tmp. Throws std::system_error, and
  // std::invalid_argument where the directory is not ours alone, is in use, or is of another number
  // of shards, or where a segment is not the one that its name says.
  data_directory(const std::string& path, std::uint32_t shards);

  [[nodiscard]] const store_identity& identity() const noexcept { return identity_; }
  [[nodiscard]] bool temporary() const noexcept { return temporary_; }
  [[nodiscard]] int fd() const noexcept { return directory_.get(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Of a shard, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> segments_of(std::uint32_t shard) const;
  // Makes a segment of so many bytes, all but the first block zero, whose name outlives a loss of
  // power. Throws std::system_error: no space, among others. Takes milliseconds.
  [[nodiscard]] segment_file create(const segment_name& name, std::uint64_t bytes) const;
  [[nodiscard]] segment_file open(const segment_name& name) const;
  // Says in its first block that its records end there. False where the disk refuses: then it is
  // taken for one that was still written to.
  [[nodiscard]] bool seal(int file, const segment_name& name, std::uint64_t end) const noexcept;
  // Nothing where it cannot be: the segment is then found again at the next start.
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
