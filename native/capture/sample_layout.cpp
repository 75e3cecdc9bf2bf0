#include "capture/sample_layout.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

// Newer than the headers of Debian 12.
constexpr std::uint64_t branch_counters = std::uint64_t{1} << 19U;
constexpr std::uint64_t trailer_bits = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                       PERF_SAMPLE_IDENTIFIER;

// Fields of one word, before all others.
constexpr std::uint64_t word_fields = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                      PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                                      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
constexpr std::uint64_t unusual_fields =
    PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;

std::size_t words(std::uint64_t mask) { return static_cast<std::size_t>(std::popcount(mask)); }

class sample_parser {
 public:
  sample_parser(const attribute& event, const record& sample, bool swap)
      : event_(event), cursor_(sample.payload, swap, sample.offset), skipped_(sample.skipped) {}

  sample_fields parse() {
    parse_identity();
    if (has(PERF_SAMPLE_READ)) {
      parse_read();
    }
    if (has(PERF_SAMPLE_CALLCHAIN)) {
      const auto count = cursor_.take<std::uint64_t>("length of the call chain");
      fields_.chain = cursor_.take_array(count, 8, "call chain");
    }
    if (has(PERF_SAMPLE_RAW)) {
      fields_.raw = cursor_.take_bytes(cursor_.take<std::uint32_t>("size of raw data"), "raw data");
    }
    if (has(PERF_SAMPLE_BRANCH_STACK)) {
      skip_branches();
    }
    parse_registers_and_stack();
    parse_memory_fields();
    if (has(PERF_SAMPLE_ADDR) && has(PERF_SAMPLE_DATA_SRC)) {
      fields_.access = access_;
    }
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
    if (has(PERF_SAMPLE_ADDR)) {
      access_.address = cursor_.take<std::uint64_t>("address");
    }
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

  void parse_read() {
    const std::uint64_t format = event_.read_format;
    const bool group = (format & PERF_FORMAT_GROUP) != 0;
    const std::size_t entry = 8 * (1 + words(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST)));
    counter_reading reading;
    reading.entry_bytes = entry;
    const auto count = group ? cursor_.take<std::uint64_t>("number of counter values") : 1;
    // A single value precedes the times, and its id follows them.
    if (!group) reading.values = cursor_.take_array(1, 8, "counter value");
    for (auto [bit, time] : {std::pair{PERF_FORMAT_TOTAL_TIME_ENABLED, &reading.enabled_ns},
                             std::pair{PERF_FORMAT_TOTAL_TIME_RUNNING, &reading.running_ns}}) {
      if ((format & bit) != 0) *time = cursor_.take<std::uint64_t>("times of the counters");
    }
    if (!group) {
      cursor_.take_array(entry / 8 - 1, 8, "id of the counter");
      return;
    }
    reading.values = cursor_.take_array(count, entry, "counter values");
    if ((format & PERF_FORMAT_ID) != 0 && count != 0) fields_.reading = reading;
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
    fields_.user_stack = cursor_.take_bytes(size - skipped_, "user stack");
    if (size != 0) {
      const auto used = cursor_.take<std::uint64_t>("used size of the user stack");
      fields_.user_stack_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(used, size));
      fields_.user_stack =
          fields_.user_stack.first(std::min(fields_.user_stack_bytes, fields_.user_stack.size()));
    }
  }

  void parse_memory_fields() {
    if (has(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
      access_.weight = cursor_.take<std::uint64_t>("weight");
      // A struct's other fields are the latencies of parts.
      if (has(PERF_SAMPLE_WEIGHT_STRUCT)) access_.weight &= 0xffff'ffff;
    }
    if (has(PERF_SAMPLE_DATA_SRC)) {
      access_.source = cursor_.take<std::uint64_t>("data source");
    }
    skip_word(PERF_SAMPLE_TRANSACTION, "transaction");
    if (has(PERF_SAMPLE_REGS_INTR)) {
      const auto abi = cursor_.take<std::uint64_t>("interrupted registers");
      take_registers(abi, event_.registers_interrupt, "interrupted registers");
    }
    if (has(PERF_SAMPLE_PHYS_ADDR)) {
      access_.physical_address = cursor_.take<std::uint64_t>("physical address");
    }
    skip_word(PERF_SAMPLE_CGROUP, "cgroup");
    skip_word(PERF_SAMPLE_DATA_PAGE_SIZE, "data page size");
    skip_word(PERF_SAMPLE_CODE_PAGE_SIZE, "code page size");
    if (has(PERF_SAMPLE_AUX)) {
      cursor_.take_bytes(cursor_.take<std::uint64_t>("size of AUX data"), "AUX data");
    }
  }

  const attribute& event_;
  wire_cursor cursor_;
  std::size_t skipped_;
  sample_fields fields_;
  memory_access access_;
};

}  // namespace

sample_fields parse_sample(const attribute& event, const record& sample, bool swap) {
  return sample_parser(event, sample, swap).parse();
}

std::optional<stack_place> find_stack(const attribute& event, std::span<const std::byte> beginning,
                                      bool swap) {
  const std::uint64_t type = event.sample_type;
  if ((type & PERF_SAMPLE_STACK_USER) == 0 || (type & unusual_fields) != 0) {
    return std::nullopt;
  }
  std::size_t at = 8 * words(type & word_fields);
  const auto take_word = [&]() -> std::uint64_t {
    at += 8;
    return at <= beginning.size() ? load<std::uint64_t>(beginning.data() + at - 8, swap) : 0;
  };
  if ((type & PERF_SAMPLE_CALLCHAIN) != 0) {
    // A count as large as the number of bytes also exceeds the record.
    const std::uint64_t count = std::min<std::uint64_t>(take_word(), beginning.size());
    at += 8 * static_cast<std::size_t>(count);
  }
  if ((type & PERF_SAMPLE_REGS_USER) != 0 && take_word() != PERF_SAMPLE_REGS_ABI_NONE) {
    at += 8 * words(event.registers_user);
  }
  const std::uint64_t size = take_word();
  return at <= beginning.size() ? std::optional(stack_place{at, size}) : std::nullopt;
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
  return event.sample_id_all ? 8 * words(event.sample_type & trailer_bits) : 0;
}

trailer_fields parse_trailer(const attribute& event, std::span<const std::byte> trailer,
                             bool swap) {
  trailer_fields fields;
  std::size_t at = 0;
  const auto next = [&](std::uint64_t bit) -> const std::byte* {
    if ((event.sample_type & bit) == 0 || at + 8 > trailer.size()) {
      return nullptr;
    }
    at += 8;
    return trailer.data() + (at - 8);
  };
  const auto number = [swap](const std::byte* from) {
    return static_cast<std::int32_t>(load<std::uint32_t>(from, swap));
  };
  if (const std::byte* ids = next(PERF_SAMPLE_TID)) {
    fields.pid = number(ids);
    fields.tid = number(ids + 4);
  }
  if (const std::byte* time = next(PERF_SAMPLE_TIME)) {
    const auto value = load<std::uint64_t>(time, swap);
    fields.time_ns = value == ~std::uint64_t{0} ? 0 : value;
  }
  next(PERF_SAMPLE_ID);
  next(PERF_SAMPLE_STREAM_ID);
  if (const std::byte* cpu = next(PERF_SAMPLE_CPU)) {
    fields.cpu = number(cpu);
  }
  return fields;
}

}  // namespace stallscope::capture
