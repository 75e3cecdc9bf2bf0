#include "disk/buffers.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "disk/offsets.hpp"

namespace stallscope::disk {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

}  // namespace

buffers::buffers(unsigned depth, std::uint32_t block_bytes, bool for_writes, std::uint64_t seed)
    : stride_{(block_bytes + page_bytes - 1) / page_bytes * page_bytes},
      depth_{depth},
      size_{stride_ * depth * (for_writes ? 2U : 1U)} {
  void* mapping =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(),
                            "mmap of " + std::to_string(size_) + " bytes of request buffers");
  }
  memory_ = static_cast<std::byte*>(mapping);
  if (size_ >= huge_page_bytes) ::madvise(memory_, size_, MADV_HUGEPAGE);
  std::memset(memory_, 0, stride_ * depth_);
  random_bits random{seed};
  for (std::size_t at = stride_ * depth_; at < size_; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(memory_ + at, &word, sizeof(word));
  }
}

buffers::~buffers() { ::munmap(memory_, size_); }

}  // namespace stallscope::disk
