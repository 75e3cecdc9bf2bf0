// The memory of a stopped thread's process, read page by page and kept until it runs again. One
// thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace stallscope::unwind_compare {

class target_memory {
 public:
  explicit target_memory(pid_t process) : process_{process} {}

  // nullopt where nothing is mapped.
  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address);
  // What is there of `size` bytes: fewer where the mapping ends.
  [[nodiscard]] std::vector<std::byte> bytes(std::uint64_t address, std::size_t size) const;
  // The process ran: what was read is old.
  void forget() { pages_.clear(); }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using page = std::array<std::byte, page_bytes>;
  [[nodiscard]] const page* page_at(std::uint64_t address);

  pid_t process_;
  std::map<std::uint64_t, std::optional<page>> pages_;
};

}  // namespace stallscope::unwind_compare
