// Whatever a program writes into the ring that it shares, a pass over it ends, reads nothing beyond
// it, and passes on marks with a known action, a name that fits and a time of the recording only.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "requests/request_file.hpp"
#include "requests/ring_reader.hpp"
#include "require.hpp"

namespace {

using stallscope::requests::request_mark;
using stallscope::requests::ring_bytes;
using stallscope::requests::ring_reader;

constexpr std::uint64_t since_ns = 100;

struct alignas(64) shared_memory {
  std::byte bytes[ring_bytes];
};

// Overwrites the counters, or two of the first or last records, with a part of the input.
std::span<const std::uint8_t> overwrite(std::span<const std::uint8_t> input, shared_memory& ring) {
  constexpr std::size_t counters = offsetof(stallscope_request_ring, listen_until_ns);
  constexpr std::size_t record = sizeof(stallscope_request_record);
  const std::uint8_t place = input.front();
  input = input.subspan(1);
  const std::size_t number =
      place < 128 ? place % 64U : stallscope_request_records - 2U - place % 64U;
  const std::size_t at =
      place % 64U == 63U ? counters : stallscope_request_offset + number * record;
  const std::size_t bytes = std::min<std::size_t>(input.size(), 2 * record);
  std::memcpy(ring.bytes + at, input.data(), bytes);
  return input.subspan(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto ring = std::make_unique<shared_memory>();
  std::memset(ring->bytes, 0, ring_bytes);
  std::span<const std::uint8_t> input{data, size};
  const std::span<std::byte, ring_bytes> memory{ring->bytes, ring_bytes};
  ring_reader reader{memory, since_ns};
  std::uint64_t now_ns = 1'000'000'000;
  for (int pass = 0; pass < 8 && !input.empty(); ++pass) {
    input = overwrite(input, *ring);
    std::size_t marks = 0;
    reader.listen_until(now_ns);
    reader.read(now_ns, [&marks](const request_mark& mark) {
      const auto action = static_cast<int>(mark.action);
      require(action >= 1 && action <= 4);
      require(mark.name_bytes <= mark.name.size());
      require(mark.time_ns >= since_ns);
      require(stallscope::requests::record_of(mark, 1).id == mark.id);
      ++marks;
    });
    require(marks <= stallscope_request_records);
    [[maybe_unused]] const bool is_valid = stallscope::requests::is_ring(memory);
    now_ns += 150'000'000;
  }
  return 0;
}
