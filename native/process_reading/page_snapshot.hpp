// Pages of another process, copied twice by a single call some 100 ns apart. What both copies have
// in common existed together. Which pages are needed is known only while a linked structure is
// followed: word() collects missing pages, and take() reads all of them again. The pages that were
// used are kept for the next snapshot, so a structure that stays in its place costs one call.
// Untrusted and limited. One thread.
//
//   page_snapshot pages{memory};
//   do { if (!pages.take(anchor)) return; follow(pages); } while (pages.missing());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "process_reading/process_memory.hpp"

namespace stallscope::process_reading {

class page_snapshot {
 public:
  explicit page_snapshot(const process_memory& memory) noexcept : memory_{memory} {}

  // Removes the pages that were not used since the last call.
  void begin();
  // Reads the word at the anchor first, and then all pages twice. Returns false if they cannot be
  // read; the pages are then forgotten.
  bool take(std::uint64_t anchor);
  // Whether a range was requested that the snapshot lacks, and may be read.
  [[nodiscard]] bool missing() const noexcept { return missing_; }

  [[nodiscard]] std::uint64_t anchor() const noexcept { return anchor_; }
  // The bytes at an address in the first copy; empty if its pages are missing. Valid until take().
  std::span<const std::byte> bytes(std::uint64_t address, std::size_t count);
  std::optional<std::uint64_t> word(std::uint64_t address);
  // Whether both copies are equal at an address that bytes() has returned.
  [[nodiscard]] bool same(std::uint64_t address, std::size_t count) const;

 private:
  struct block {
    std::uint64_t begin = 0;  // of adjacent pages
    std::size_t bytes = 0;
    std::size_t place = 0;  // in the copies
  };
  [[nodiscard]] const block* holding(std::uint64_t address, std::size_t count) const;

  process_memory memory_;
  std::set<std::uint64_t> pages_;  // numbers
  std::set<std::uint64_t> used_;
  std::vector<block> blocks_;
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::vector<memory_range> ranges_;
  std::uint64_t anchor_ = 0;
  bool missing_ = false;
};

// The result of following a linked structure in a snapshot.
enum class structure_read {
  whole,
  missing,  // pages that can be read are not in the snapshot yet
  torn,     // both copies differ, or the structure is malformed
};

// Calls `follow`, which returns a structure_read, on new snapshots until a structure is whole.
// Returns `missing` if pages cannot be read.
template <typename Follow>
structure_read read_structure(page_snapshot& pages, std::uint64_t anchor, const Follow& follow) {
  constexpr int max_extensions = 256;  // a structure of that many pages is read
  constexpr int max_attempts = 4;
  pages.begin();
  int attempts = 0;
  for (int i = 0; i < max_extensions && attempts < max_attempts; ++i) {
    if (!pages.take(anchor)) return structure_read::missing;
    const auto result = follow();
    if (result == structure_read::whole) return result;
    if (result == structure_read::torn) ++attempts;
  }
  return structure_read::torn;
}

}  // namespace stallscope::process_reading
