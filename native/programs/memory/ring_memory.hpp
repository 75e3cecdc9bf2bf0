// The memory of a ring, with small or huge pages and optionally bound to a NUMA node. All pages are
// touched on construction. The kernel may deviate from the request; the obtained pages can be read
// back. Construction costs the page faults of the whole memory, reading the obtained pages a few
// milliseconds. One thread at a time; the constructing thread touches the pages.
//
//   const ring_memory memory({.bytes = bytes, .pages = page_kind::huge, .node = 0});
//   kernels::link_randomly(memory.nodes(), seed);
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
  std::optional<int> node{};  // nullopt: the kernel's default policy
};

// The pages of a mapping according to /proc/self/smaps.
struct pages_obtained {
  std::string kind{};  // "hugetlb", "transparent", "partly transparent", "small" or "unknown"
  std::uint64_t huge_bytes = 0;
  std::uint64_t page_bytes = 0;  // size of a page; of a huge page if there are any
};

class ring_memory {
 public:
  // Huge pages come from the reserved ones (MAP_HUGETLB), otherwise from madvise(MADV_HUGEPAGE).
  // Throws std::system_error if there is not enough memory, in total or on the node.
  explicit ring_memory(const memory_request& request);
  ~ring_memory();
  ring_memory(const ring_memory&) = delete;
  ring_memory& operator=(const ring_memory&) = delete;
  ring_memory(ring_memory&&) = delete;
  ring_memory& operator=(ring_memory&&) = delete;

  [[nodiscard]] std::span<kernels::chain_node> nodes() const noexcept {
    return {static_cast<kernels::chain_node*>(start_), bytes_ / sizeof(kernels::chain_node)};
  }
  [[nodiscard]] pages_obtained obtained_pages() const;
  // Returns the number of pages per NUMA node, in a sample of up to 1,024 pages of the ring. Empty
  // if the kernel does not report nodes, for example without NUMA.
  [[nodiscard]] std::map<int, std::size_t> pages_by_node() const;

 private:
  void reserve(std::size_t alignment);
  bool map_reserved_huge(const memory_request& request);
  void map_ordinary(const memory_request& request);

  std::size_t bytes_;  // of the request, rounded up to whole pages
  std::size_t
      reserved_bytes_;  // with an inaccessible margin, so that no neighbour merges with the mapping
  void* reservation_ = nullptr;
  void* start_ = nullptr;
};

// Returns the size of transparent huge pages and of the default reserved ones; 0 if the kernel
// supports none of up to 32 MiB.
std::size_t huge_page_bytes() noexcept;

// Returns the pages of the mapping that begins at `start`. `text` has the format of
// /proc/PID/smaps.
pages_obtained pages_in_smaps(const std::string& text, std::uint64_t start);

}  // namespace stallscope::memory
