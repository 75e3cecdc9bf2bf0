#include "collect/stack_choice.hpp"

#include <algorithm>
#include <bit>

namespace stallscope::collect {
namespace {

// Besides the stack copy, a sample has some 80 bytes of fields and a kernel call chain.
constexpr std::uint64_t other_sample_bytes = 400;
constexpr std::size_t min_ring_bytes = std::size_t{2} << 20U;
constexpr std::size_t max_ring_bytes = std::size_t{64} << 20U;
// For samples by a period: as for a typical rate.
constexpr std::size_t ring_bytes_of_period = std::size_t{8} << 20U;
// A ring of 8 MiB loses nothing at 200,000 switches per second with stacks of 1 KiB.
constexpr std::size_t ring_bytes_of_waits = std::size_t{8} << 20U;
constexpr std::uint64_t memory_part = 32;  // all rings together take at most this part

std::string mib(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

std::string copy_size(std::uint32_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB"
                           : std::to_string(bytes) + " bytes";
}

}  // namespace

const char* name_of(stack_kind kind) {
  switch (kind) {
    case stack_kind::frame_pointers:
      return "fp";
    case stack_kind::copies:
      return "dwarf";
    case stack_kind::mixed:
      return "mixed";
  }
  return "fp";
}

std::string describe(const stack_choice& choice, std::uint32_t stack_bytes) {
  const std::string copied = "copied (" + copy_size(stack_bytes) + " per sample)";
  switch (choice.kind) {
    case stack_kind::frame_pointers:
      return "by frame pointers: " + choice.why;
    case stack_kind::copies:
      return copied + ": " + choice.why;
    case stack_kind::mixed:
      return copied + " of some processes only: " + choice.why;
  }
  return choice.why;
}

perf_events::sampling with_copies(perf_events::sampling how, std::uint32_t stack_bytes) {
  how.stack_bytes = stack_bytes;
  how.user_registers = unwind::perf_mask(this_architecture());
  return how;
}

std::uint64_t bytes_per_second(const perf_events::sampling& how) {
  return how.period != 0 ? 0 : how.frequency_hz * (how.stack_bytes + other_sample_bytes);
}

std::size_t ring_bytes_for(const perf_events::sampling& how, std::size_t cpus,
                           std::uint64_t memory_bytes, bool with_waits) {
  if (how.stack_bytes == 0 && !with_waits) return min_ring_bytes;
  const std::uint64_t half_a_second = bytes_per_second(how) / 2;
  std::size_t ring_bytes =
      half_a_second == 0 ? ring_bytes_of_period
                         : std::bit_ceil(std::min<std::uint64_t>(half_a_second, max_ring_bytes));
  if (with_waits) ring_bytes = std::max(ring_bytes, ring_bytes_of_waits);
  const std::uint64_t most_bytes = memory_bytes == 0 ? UINT64_MAX : memory_bytes / memory_part;
  while (ring_bytes > min_ring_bytes && ring_bytes * cpus > most_bytes) ring_bytes /= 2;
  return std::max(ring_bytes, min_ring_bytes);
}

std::optional<warning> space_warning(const perf_events::sampling& how, std::size_t cpus,
                                     double duration_s, std::uint64_t free_bytes) {
  const std::uint64_t rate = bytes_per_second(how) * cpus;
  if (how.stack_bytes == 0 || rate == 0 || duration_s <= 0) return std::nullopt;
  const double lasts_s = static_cast<double>(free_bytes) / static_cast<double>(rate);
  if (lasts_s >= duration_s) return std::nullopt;
  return warning{"little-disk-space",
                 "a recording with copied stacks grows by up to " + mib(rate) + " per second on " +
                     std::to_string(cpus) + " CPUs; the " + mib(free_bytes) +
                     " free where it is written may last " +
                     std::to_string(static_cast<std::uint64_t>(lasts_s)) +
                     " s of the requested time: sample less often (-F) or copy less "
                     "(--stack-bytes)"};
}

}  // namespace stallscope::collect
