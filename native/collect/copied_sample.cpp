#include "collect/copied_sample.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>

namespace stallscope::collect {
namespace {

constexpr std::size_t before_pid = 24;    // header, identifier, ip
constexpr std::size_t before_chain = 56;  // and pid, tid, time, cpu, period
constexpr std::size_t outermost_frames_of_entry = 2;

// Reads the words of a record with bounds checks.
class words {
 public:
  explicit words(std::span<const std::byte> bytes) : bytes_{bytes} {}
  [[nodiscard]] bool good() const { return good_; }
  void skip(std::size_t bytes) { take_bytes(bytes); }
  std::uint64_t take() {
    std::uint64_t value = 0;
    const auto from = take_bytes(sizeof value);
    if (good_) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::vector<std::uint64_t> take_list(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(std::uint64_t)) good_ = false;
    std::vector<std::uint64_t> list(good_ ? static_cast<std::size_t>(count) : 0);
    for (auto& value : list) value = take();
    return list;
  }
  std::span<const std::byte> take_bytes(std::uint64_t count) {
    if (count > bytes_.size()) good_ = false;
    if (!good_) return {};
    const auto taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

// Returns the part of a chain after the marker of user addresses.
std::vector<std::uint64_t> user_part(const std::vector<std::uint64_t>& chain) {
  constexpr auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
  constexpr auto min_marker = static_cast<std::uint64_t>(PERF_CONTEXT_MAX);
  const auto marker = std::find(chain.begin(), chain.end(), user);
  if (marker == chain.end()) return {};
  const auto end = std::find_if(marker + 1, chain.end(),
                                [](std::uint64_t entry) { return entry >= min_marker; });
  return {marker + 1, end};
}

}  // namespace

std::optional<copied_sample> parse_copied_sample(std::span<const std::byte> record,
                                                 std::size_t register_count) {
  words from{record};
  copied_sample sample;
  from.skip(before_pid);
  sample.pid = static_cast<pid_t>(from.take() & 0xFFFFFFFFU);
  from.skip(before_chain - before_pid - sizeof(std::uint64_t));
  sample.user_chain = user_part(from.take_list(from.take()));
  sample.registers_abi = from.take();
  if (sample.registers_abi != PERF_SAMPLE_REGS_ABI_NONE)
    sample.registers = from.take_list(register_count);
  const auto room = from.take();
  const auto copy = from.take_bytes(room);
  const auto copied = room != 0 ? std::min(from.take(), room) : 0;
  if (!from.good()) return std::nullopt;
  sample.stack.assign(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(copied));
  return sample;
}

bool covers(std::span<const std::uint64_t> chain, std::span<const unwind::frame> unwound,
            bool complete) {
  const std::size_t beyond = complete ? outermost_frames_of_entry : 0;
  if (unwound.size() <= 1 + beyond) return true;
  auto at = chain.begin();
  for (std::size_t i = 1; i < unwound.size() - beyond; ++i) {
    const auto match = std::find(at, chain.end(), unwound[i].address);
    if (match == chain.end() && i > 1) return false;
    if (match != chain.end()) at = match + 1;
  }
  // If only the leaf's caller had to match, at least that must be in the chain.
  return unwound.size() > 2 + beyond || at != chain.begin();
}

}  // namespace stallscope::collect
