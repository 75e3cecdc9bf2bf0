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

constexpr std::size_t largest_huge_page = std::size_t{32} << 20U;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, since Linux 5.14; older headers lack it

std::size_t small_page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t rounded_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Binds what is mapped there to one node; before the first touch.
void bind_to(void* start, std::size_t bytes, int node) {
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, 1024 / bits> mask{};
  const auto wanted = static_cast<unsigned>(node);
  if (node < 0 || wanted >= mask.size() * bits) {
    throw std::system_error(EINVAL, std::generic_category(), "NUMA node " + std::to_string(node));
  }
  mask[wanted / bits] = 1UL << (wanted % bits);
  // The kernel takes one bit less than it is told.
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

// The lines of one mapping in smaps.
std::string mapping_lines(const std::string& text, std::uint64_t start) {
  std::istringstream lines(text);
  std::string found;
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find('-');
    const auto colon = line.find(": ");
    std::uint64_t begin = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), begin, 16);
    if (error == std::errc{} && dash != std::string::npos && rest == line.data() + dash) {
      if (ours) break;
      ours = begin == start;
    } else if (ours && colon != std::string::npos) {
      found += line + '\n';
    }
  }
  return found;
}

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
  const bool suits = bytes > small_page_bytes() && bytes <= largest_huge_page;
  return suits && (bytes & (bytes - 1)) == 0 ? bytes : 0;
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

ring_memory::ring_memory(const memory_request& wish) : bytes_(wish.bytes), reserved_bytes_(0) {
  const std::size_t huge = wish.pages == page_kind::huge ? huge_page_bytes() : 0;
  const std::size_t unit = std::max(huge, small_page_bytes());
  bytes_ = rounded_up(wish.bytes, unit);
  reserve(unit);
  try {
    if (huge == 0 || !map_reserved_huge(wish)) map_ordinary(wish);
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

// False where too few are reserved, on that node or for this user.
bool ring_memory::map_reserved_huge(const memory_request& wish) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB;
  if (mmap(start_, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) return false;
  if (wish.node) bind_to(start_, bytes_, *wish.node);
  // A touch of what the node does not have would end the process; this says so instead.
  return madvise(start_, bytes_, populate_write) == 0;
}

void ring_memory::map_ordinary(const memory_request& wish) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(start_, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
    fail("cannot map " + std::to_string(bytes_) + " bytes: mmap");
  }
  // Refused where the kernel has no transparent huge pages; what was got is looked up later.
  madvise(start_, bytes_, wish.pages == page_kind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (wish.node) bind_to(start_, bytes_, *wish.node);
  if (madvise(start_, bytes_, populate_write) == 0 || errno == EINVAL) return;  // 5.13 and before
  fail("cannot fill " + std::to_string(bytes_) + " bytes: madvise(MADV_POPULATE_WRITE)");
}

pages_obtained ring_memory::pages_got() const {
  std::ifstream file("/proc/self/smaps");
  std::ostringstream text;
  text << file.rdbuf();
  return pages_in_smaps(text.str(), reinterpret_cast<std::uintptr_t>(start_));
}

std::map<int, std::size_t> ring_memory::pages_by_node() const {
  constexpr std::size_t most_looked_at = 1024;
  const std::size_t step =
      std::max(small_page_bytes(), rounded_up(bytes_ / most_looked_at, small_page_bytes()));
  std::vector<void*> places;
  for (std::size_t at = 0; at < bytes_; at += step) {
    places.push_back(static_cast<char*>(start_) + at);
  }
  std::vector<int> status(places.size(), -1);
  std::map<int, std::size_t> found;
  const long error =
      syscall(SYS_move_pages, 0, places.size(), places.data(), nullptr, status.data(), 0);
  if (error != 0) return found;
  for (const int node : status) {
    if (node >= 0) ++found[node];
  }
  return found;
}

}  // namespace stallscope::memory
