// Reads the marks that a program writes into the memory which it shares (stallscope_request.h). The
// program may write anything there at any time: every value is checked, and a pass ends after the
// ring's number of records. Costs 20 ns per mark. One thread.
//
//   ring_reader reader{memory, start_ns};
//   reader.listen_until(monotonic_ns() + 3'000'000'000);
//   reader.read(monotonic_ns(), [](const request_mark& mark) { ... });
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#define STALLSCOPE_REQUEST_LAYOUT_ONLY
#include "requests/stallscope_request.h"
#undef STALLSCOPE_REQUEST_LAYOUT_ONLY

namespace stallscope::requests {

enum class mark_action : std::uint8_t { begin = 1, end = 2, suspend = 3, resume = 4 };

struct request_mark {
  std::uint64_t time_ns = 0;
  std::uint64_t id = 0;
  std::uint32_t tid = 0;
  mark_action action = mark_action::begin;
  std::uint8_t name_bytes = 0;
  std::array<char, 32> name{};  // any bytes
};

inline constexpr std::size_t ring_bytes =
    stallscope_request_offset + stallscope_request_records * sizeof(stallscope_request_record);

// Whether the memory begins like a ring of this version.
[[nodiscard]] bool is_ring(std::span<std::byte, ring_bytes> memory) noexcept;

class ring_reader {
 public:
  // The memory must outlive the reader. Marks before `since_ns` are left out.
  ring_reader(std::span<std::byte, ring_bytes> memory, std::uint64_t since_ns) noexcept;

  // The program writes marks until then, unless another recorder listens longer.
  void listen_until(std::uint64_t until_ns) noexcept;

  using take_mark = std::function<void(const request_mark& mark)>;
  // Calls take() for the new marks, at most as many as the ring has records.
  void read(std::uint64_t now_ns, const take_mark& take);

  // Marks that were overwritten before they were read, or never completed.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  // Marks with an unknown action.
  [[nodiscard]] std::uint64_t invalid() const noexcept { return invalid_; }

 private:
  enum class slot_state : std::uint8_t { complete, incomplete, overwritten };
  slot_state copy(std::uint64_t number, stallscope_request_record& record) const noexcept;
  void lose(std::uint64_t marks) noexcept;
  void pass_on(const stallscope_request_record& record, const take_mark& take);

  std::byte* memory_;
  std::uint64_t since_ns_;
  std::uint64_t next_;
  std::uint64_t incomplete_since_ns_ = 0;  // 0: the next mark is not incomplete
  std::uint64_t lost_ = 0;
  std::uint64_t invalid_ = 0;
};

}  // namespace stallscope::requests
