// Memory of a ring: of small or huge pages, on a NUMA node where one is wanted, all of it touched;
// and what the kernel truly gave. Making it costs the page faults of the whole, reading what was
// given some milliseconds. By one thread at a time; the pages are first touched by the one that
// makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "kernels/work.hpp"

namespace stallscope::memory {

enum class page_kind : std::uint8_t { small, huge };

struct memory_request {
  std::size_t bytes = 0;
  page_kind pages = page_kind::small;
  std::optional<int> node{};  // without: where the kernel puts it
};

// What /proc/self/smaps says of a mapping.
struct pages_obtained {
  std::string kind{};  // "hugetlb", "transparent", "partly transparent", "small" or "unknown"
  std::uint64_t huge_bytes = 0;
  std::uint64_t page_bytes = 0;  // of the kind named: of a huge page where there are any
};

class ring_memory {
 public:
  // Huge pages are taken from those reserved (MAP_HUGETLB), else asked for with madvise. Throws
  // std::system_error where there is no memory, or none on the node.
  explicit ring_memory(const memory_request& wish);
  ~ring_memory();
  ring_memory(const ring_memory&) = delete;
  ring_memory& operator=(const ring_memory&) = delete;
  ring_memory(ring_memory&&) = delete;
  ring_memory& operator=(ring_memory&&) = delete;

  [[nodiscard]] std::span<kernels::ChainNode> nodes() const noexcept {
    return {static_cast<kernels::ChainNode*>(start_), bytes_ / sizeof(kernels::ChainNode)};
  }
  [[nodiscard]] pages_obtained pages_got() const;
  // Pages by NUMA node, of up to 1,024 looked at throughout the ring; empty where the kernel does
  // not tell (one without NUMA).
  [[nodiscard]] std::map<int, std::size_t> pages_by_node() const;

 private:
  void reserve(std::size_t alignment);
  bool map_reserved_huge(const memory_request& wish);
  void map_ordinary(const memory_request& wish);

  std::size_t bytes_;           // the wish's, up to whole pages of the wanted kind
  std::size_t reserved_bytes_;  // with an inaccessible margin: no neighbour shares our mapping
  void* reservation_ = nullptr;
  void* start_ = nullptr;
};

// The size of the huge pages that transparent ones and the default reserve have; 0 where the kernel
// knows none that suit (up to 32 MiB).
std::size_t huge_page_bytes() noexcept;

// What `text`, in the form of /proc/PID/smaps, says of the mapping that begins at `start`.
pages_obtained pages_in_smaps(const std::string& text, std::uint64_t start);

}  // namespace stallscope::memory
