// A private anonymous mapping of its own, given back when it goes.
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
  // `advice` for madvise, which may be refused without harm. Throws std::system_error.
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

  // As many as fit; they begin as zero bytes.
  template <typename Element>
  [[nodiscard]] std::span<Element> as() const noexcept {
    return {static_cast<Element*>(start_), bytes_ / sizeof(Element)};
  }
  // Every page is a fresh zero page again, at its next touch. Throws std::system_error.
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
