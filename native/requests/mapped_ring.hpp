// The rings of marks that a process shares, mapped into this process. A ring is a memfd whose size
// is sealed, so that reading it never faults; the device number proves that a descriptor is a memfd
// before it is opened, so that no other file of the process is touched. Needs the right to trace
// the process. A search costs a system call per descriptor, at most 1,024. Any thread.
//
//   for (auto& ring : rings_of(pid, is_mapped).rings) read(ring.memory());
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "requests/ring_reader.hpp"

namespace stallscope::requests {

class mapped_ring {
 public:
  mapped_ring(std::byte* memory, std::uint64_t inode) noexcept : memory_{memory}, inode_{inode} {}
  mapped_ring(mapped_ring&& other) noexcept;
  mapped_ring& operator=(mapped_ring&& other) noexcept;
  mapped_ring(const mapped_ring&) = delete;
  mapped_ring& operator=(const mapped_ring&) = delete;
  ~mapped_ring();

  [[nodiscard]] std::span<std::byte, ring_bytes> memory() const noexcept {
    return std::span<std::byte, ring_bytes>{memory_, ring_bytes};
  }
  [[nodiscard]] std::uint64_t inode() const noexcept { return inode_; }

 private:
  std::byte* memory_;
  std::uint64_t inode_;
};

struct ring_search {
  std::vector<mapped_ring> rings;
  int error = 0;         // errno if the descriptors of the process could not be read
  bool refused = false;  // a memfd has the name of a ring but not the format of this version
};

// `is_mapped` returns whether the ring with this inode is mapped already.
[[nodiscard]] ring_search rings_of(pid_t pid, const std::function<bool(std::uint64_t)>& is_mapped);

}  // namespace stallscope::requests
