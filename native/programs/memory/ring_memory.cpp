#include "ring_memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace stallscope::memory {
namespace {

constexpr std::size_t max_huge_page_bytes = std::size_t{32} << 20U;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, since Linux 5.14; older headers lack it

std::size_t small_page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t rounded_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Binds a mapping to a NUMA node. Must run before the first touch.
void bind_to(void* start, std::size_t bytes, int node) {
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, 1024 / bits> mask{};
  const auto bit = static_cast<unsigned>(node);
  if (node < 0 || bit >= mask.size() * bits) {
    throw std::system_error(EINVAL, std::generic_category(),
                            "no NUMA node " + std::to_string(node));
  }
  mask[bit / bits] = 1UL << (bit % bits);
  // The kernel uses one bit less than the passed number.
  if (syscall(SYS_mbind, start, bytes, MPOL_BIND, mask.data(), mask.size() * bits + 1, 0) != 0) {
    fail("cannot bind memory to NUMA node " + std::to_string(node) + ": mbind");
  }
}

std::uint64_t number_in(std::string_view words) noexcept {
  const auto begin = words.find_first_of("0123456789");
  std::uint64_t number = 0;
  if (begin != std::string_view::npos) {
    std::from_chars(words.data() + begin, words.data() + words.size(), number);
  }
  return number;
}

// Returns the lines of the mapping at `start` in smaps.
std::string mapping_lines(const std::string& text, std::uint64_t start) {
  std::istringstream lines(text);
  std::string fields;
  bool in_mapping = false;
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find('-');
    const auto colon = line.find(": ");
    std::uint64_t begin = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), begin, 16);
    if (error == std::errc{} && dash != std::string::npos && rest == line.data() + dash) {
      if (in_mapping) break;
      in_mapping = begin == start;
    } else if (in_mapping && colon != std::string::npos) {
      fields += line + '\n';
    }
  }
  return fields;
}

// Returns a field in bytes; 0 if it is missing.
std::uint64_t field(const std::string& lines, const std::string& name) noexcept {
  const auto place = ("\n" + lines).find("\n" + name + ":");
  if (place == std::string::npos) return 0;
  const std::string_view rest = std::string_view(lines).substr(place);
  return number_in(rest.substr(0, rest.find('\n')).substr(name.size())) * 1024;
}

}  // namespace

std::size_t huge_page_bytes() noexcept {
  std::size_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  if (bytes == 0) {
    std::ifstream memory("/proc/meminfo");
    for (std::string line; std::getline(memory, line);) {
      if (line.starts_with("Hugepagesize:")) bytes = number_in(line) * 1024;
    }
  }
  const bool supported = bytes > small_page_bytes() && bytes <= max_huge_page_bytes;
  return supported && (bytes & (bytes - 1)) == 0 ? bytes : 0;
}

pages_obtained pages_in_smaps(const std::string& text, std::uint64_t start) {
  const std::string lines = mapping_lines(text, start);
  const std::uint64_t page = field(lines, "KernelPageSize");
  if (page == 0) return {.kind = "unknown"};
  const std::uint64_t reserved = field(lines, "Private_Hugetlb");
  if (reserved != 0) return {.kind = "hugetlb", .huge_bytes = reserved, .page_bytes = page};
  const std::uint64_t transparent = field(lines, "AnonHugePages");
  if (transparent == 0) return {.kind = "small", .page_bytes = page};
  const bool whole = transparent >= field(lines, "Size");
  return {.kind = whole ? "transparent" : "partly transparent",
          .huge_bytes = transparent,
          .page_bytes = huge_page_bytes()};
}

ring_memory::ring_memory(const memory_request& request)
    : bytes_(request.bytes), reserved_bytes_(0) {
  const std::size_t huge = request.pages == page_kind::huge ? huge_page_bytes() : 0;
  const std::size_t unit = std::max(huge, small_page_bytes());
  bytes_ = rounded_up(request.bytes, unit);
  reserve(unit);
  try {
    if (huge == 0 || !map_reserved_huge(request)) map_ordinary(request);
  } catch (...) {
    munmap(reservation_, reserved_bytes_);
    throw;
  }
}

ring_memory::~ring_memory() { munmap(reservation_, reserved_bytes_); }

void ring_memory::reserve(std::size_t alignment) {
  reserved_bytes_ = bytes_ + 3 * alignment;
  reservation_ =
      mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reservation_ == MAP_FAILED) fail("cannot map " + std::to_string(bytes_) + " bytes: mmap");
  const auto place = reinterpret_cast<std::uintptr_t>(reservation_);
  const std::size_t margin = rounded_up(place, alignment) - place + alignment;
  start_ = static_cast<char*>(reservation_) + margin;
}

// Returns false if too few huge pages are reserved, on the node or for this user.
bool ring_memory::map_reserved_huge(const memory_request& request) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB;
  if (mmap(start_, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) return false;
  if (request.node) bind_to(start_, bytes_, *request.node);
  // Touching a page that the node cannot provide raises SIGBUS; madvise returns an error instead.
  return madvise(start_, bytes_, populate_write) == 0;
}

void ring_memory::map_ordinary(const memory_request& request) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(start_, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
    fail("cannot map " + std::to_string(bytes_) + " bytes: mmap");
  }
  // Fails on kernels without transparent huge pages; obtained_pages() reports the result.
  madvise(start_, bytes_, request.pages == page_kind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (request.node) bind_to(start_, bytes_, *request.node);
  if (madvise(start_, bytes_, populate_write) == 0 || errno == EINVAL)
    return;  // EINVAL: Linux before 5.14
  fail("cannot fill " + std::to_string(bytes_) + " bytes: madvise(MADV_POPULATE_WRITE)");
}

pages_obtained ring_memory::obtained_pages() const {
  std::ifstream file("/proc/self/smaps");
  std::ostringstream text;
  text << file.rdbuf();
  return pages_in_smaps(text.str(), reinterpret_cast<std::uintptr_t>(start_));
}

std::map<int, std::size_t> ring_memory::pages_by_node() const {
  constexpr std::size_t max_sampled_pages = 1024;
  const std::size_t step =
      std::max(small_page_bytes(), rounded_up(bytes_ / max_sampled_pages, small_page_bytes()));
  std::vector<void*> pages;
  for (std::size_t at = 0; at < bytes_; at += step) {
    pages.push_back(static_cast<char*>(start_) + at);
  }
  std::vector<int> status(pages.size(), -1);
  std::map<int, std::size_t> page_counts;
  const long error =
      syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status.data(), 0);
  if (error != 0) return page_counts;
  for (const int node : status) {
    if (node >= 0) ++page_counts[node];
  }
  return page_counts;
}

}  // namespace stallscope::memory
