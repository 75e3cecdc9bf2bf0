// A private anonymous mapping, unmapped on destruction. Costs a system call, and a page fault per
// page at its first access. Any thread.
//
//   const private_memory memory(bytes, MADV_HUGEPAGE);
//   const std::span<std::uint64_t> words = memory.as<std::uint64_t>();
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>

namespace stallscope::kernels {

class private_memory {
 public:
  // Passes `advice` to madvise and ignores its failure. Throws std::system_error if mmap fails.
  private_memory(std::size_t bytes, int advice) : bytes_(bytes) {
    start_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(),
                              "cannot map " + std::to_string(bytes) + " bytes: mmap");
    }
    madvise(start_, bytes, advice);
  }
  ~private_memory() { munmap(start_, bytes_); }
  private_memory(const private_memory&) = delete;
  private_memory& operator=(const private_memory&) = delete;
  private_memory(private_memory&&) = delete;
  private_memory& operator=(private_memory&&) = delete;

  // Returns the memory as an array of elements, initially zero bytes.
  template <typename Element>
  [[nodiscard]] std::span<Element> as() const noexcept {
    return {static_cast<Element*>(start_), bytes_ / sizeof(Element)};
  }
  // Drops all pages; the next access to a page gets a fresh zero page. Throws std::system_error.
  void drop_pages() const {
    if (madvise(start_, bytes_, MADV_DONTNEED) != 0) {
      throw std::system_error(errno, std::generic_category(), "madvise(MADV_DONTNEED)");
    }
  }

 private:
  std::size_t bytes_;
  void* start_ = nullptr;
};

}  // namespace stallscope::kernels
