#include "sample_layout.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>

#include "wire.hpp"

namespace stallscope::captures {
namespace {

// Newer than the headers of Debian 12.
constexpr std::uint64_t branch_counters = std::uint64_t{1} << 19U;
constexpr std::uint64_t trailer_fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                         PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                         PERF_SAMPLE_IDENTIFIER;

std::size_t words(std::uint64_t mask) { return static_cast<std::size_t>(std::popcount(mask)); }

class sample_parser {
 public:
  sample_parser(const attribute& event, wire_cursor cursor) : event_(event), cursor_(cursor) {}

  sample_fields parse() {
    parse_identity();
    if (has(PERF_SAMPLE_READ)) {
      skip_read();
    }
    if (has(PERF_SAMPLE_CALLCHAIN)) {
      const auto count = cursor_.take<std::uint64_t>("length of the call chain");
      fields_.chain = cursor_.take_array(count, 8, "call chain");
    }
    if (has(PERF_SAMPLE_RAW)) {
      cursor_.take_bytes(cursor_.take<std::uint32_t>("size of raw data"), "raw data");
    }
    if (has(PERF_SAMPLE_BRANCH_STACK)) {
      skip_branches();
    }
    parse_registers_and_stack();
    skip_memory_fields();
    return fields_;
  }

 private:
  [[nodiscard]] bool has(std::uint64_t bit) const { return (event_.sample_type & bit) != 0; }
  void skip_word(std::uint64_t bit, const char* what) {
    if (has(bit)) {
      cursor_.take<std::uint64_t>(what);
    }
  }

  void parse_identity() {
    skip_word(PERF_SAMPLE_IDENTIFIER, "identifier");
    if (has(PERF_SAMPLE_IP)) {
      fields_.ip = cursor_.take<std::uint64_t>("instruction pointer");
    }
    if (has(PERF_SAMPLE_TID)) {
      fields_.pid = static_cast<std::int32_t>(cursor_.take<std::uint32_t>("pid"));
      fields_.tid = static_cast<std::int32_t>(cursor_.take<std::uint32_t>("tid"));
    }
    if (has(PERF_SAMPLE_TIME)) {
      fields_.time_ns = cursor_.take<std::uint64_t>("time");
    }
    skip_word(PERF_SAMPLE_ADDR, "address");
    skip_word(PERF_SAMPLE_ID, "id");
    skip_word(PERF_SAMPLE_STREAM_ID, "stream id");
    if (has(PERF_SAMPLE_CPU)) {
      fields_.cpu = static_cast<std::int32_t>(cursor_.take<std::uint32_t>("cpu"));
      cursor_.take<std::uint32_t>("cpu");
    }
    if (has(PERF_SAMPLE_PERIOD)) {
      fields_.period = cursor_.take<std::uint64_t>("period");
    }
  }

  void skip_read() {
    const std::uint64_t format = event_.read_format;
    const std::size_t times =
        words(format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
    const std::size_t value = 1 + words(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
    if ((format & PERF_FORMAT_GROUP) == 0) {
      cursor_.take_array(times + value, 8, "counter value");
      return;
    }
    const auto count = cursor_.take<std::uint64_t>("number of counter values");
    cursor_.take_array(times, 8, "times of the counters");
    cursor_.take_array(count, 8 * value, "counter values");
  }

  void skip_branches() {
    const auto count = cursor_.take<std::uint64_t>("number of branches");
    if ((event_.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0) {
      cursor_.take<std::uint64_t>("branch index");
    }
    cursor_.take_array(count, 24, "branches");
    if ((event_.branch_sample_type & branch_counters) != 0) {
      cursor_.take_array(count, 8, "branch counters");
    }
  }

  std::span<const std::byte> take_registers(std::uint64_t abi, std::uint64_t mask,
                                            const char* what) {
    return cursor_.take_array(abi == PERF_SAMPLE_REGS_ABI_NONE ? 0 : words(mask), 8, what);
  }

  void parse_registers_and_stack() {
    if (has(PERF_SAMPLE_REGS_USER)) {
      fields_.registers_abi = cursor_.take<std::uint64_t>("user registers");
      fields_.user_registers =
          take_registers(fields_.registers_abi, event_.registers_user, "user registers");
    }
    if (!has(PERF_SAMPLE_STACK_USER)) {
      return;
    }
    const auto size = cursor_.take<std::uint64_t>("size of the user stack");
    fields_.user_stack = cursor_.take_bytes(size, "user stack");
    if (size != 0) {
      const auto used = cursor_.take<std::uint64_t>("used size of the user stack");
      fields_.user_stack =
          fields_.user_stack.first(static_cast<std::size_t>(std::min<std::uint64_t>(used, size)));
    }
  }

  void skip_memory_fields() {
    skip_word(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "weight");
    skip_word(PERF_SAMPLE_DATA_SRC, "data source");
    skip_word(PERF_SAMPLE_TRANSACTION, "transaction");
    if (has(PERF_SAMPLE_REGS_INTR)) {
      const auto abi = cursor_.take<std::uint64_t>("interrupted registers");
      take_registers(abi, event_.registers_interrupt, "interrupted registers");
    }
    skip_word(PERF_SAMPLE_PHYS_ADDR, "physical address");
    skip_word(PERF_SAMPLE_CGROUP, "cgroup");
    skip_word(PERF_SAMPLE_DATA_PAGE_SIZE, "data page size");
    skip_word(PERF_SAMPLE_CODE_PAGE_SIZE, "code page size");
    if (has(PERF_SAMPLE_AUX)) {
      cursor_.take_bytes(cursor_.take<std::uint64_t>("size of AUX data"), "AUX data");
    }
  }

  const attribute& event_;
  wire_cursor cursor_;
  sample_fields fields_;
};

}  // namespace

sample_fields parse_sample(const attribute& event, std::span<const std::byte> payload, bool swap,
                           std::uint64_t offset) {
  return sample_parser(event, wire_cursor(payload, swap, offset)).parse();
}

id_place find_id_place(const attribute& event) {
  id_place place;
  const std::uint64_t type = event.sample_type;
  if ((type & PERF_SAMPLE_IDENTIFIER) != 0) {
    place.in_sample = 0;
    place.from_end = 8;
  } else if ((type & PERF_SAMPLE_ID) != 0) {
    place.in_sample =
        8 * words(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
    place.from_end = 8 + 8 * words(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
  }
  if (!event.sample_id_all) {
    place.from_end.reset();
  }
  return place;
}

std::size_t trailer_size(const attribute& event) {
  return event.sample_id_all ? 8 * words(event.sample_type & trailer_fields) : 0;
}

std::optional<std::uint64_t> trailer_time(const attribute& event,
                                          std::span<const std::byte> trailer, bool swap) {
  const std::size_t at = (event.sample_type & PERF_SAMPLE_TID) != 0 ? 8 : 0;
  if ((event.sample_type & PERF_SAMPLE_TIME) == 0 || at + 8 > trailer.size()) {
    return std::nullopt;
  }
  const auto time = load<std::uint64_t>(trailer.data() + at, swap);
  return time == ~std::uint64_t{0} ? 0 : time;
}

}  // namespace stallscope::captures
