// Builds captures in memory, of either byte order, record by record.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/read_capture.hpp"
#include "perf_events/perf_format.hpp"

namespace capture_tests {

enum class order { little, big };

// Where most captures map a program, and an address of the kernel.
inline constexpr std::uint64_t code = 0x400000;
inline constexpr std::uint64_t kernel_text = 0xffffffff81000000;

// Bytes, each number appended in the given order.
class wire {
 public:
  explicit wire(order byte_order) : order_(byte_order) {}
  wire& u8(std::uint8_t value) { return number(value); }
  wire& u16(std::uint16_t value) { return number(value); }
  wire& u32(std::uint32_t value) { return number(value); }
  wire& u64(std::uint64_t value) { return number(value); }
  wire& raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  // Text with its NUL, padded to 8 bytes.
  wire& text(std::string_view value) {
    bytes_.append(value).push_back('\0');
    while (bytes_.size() % 8 != 0) {
      bytes_.push_back('\0');
    }
    return *this;
  }
  // perf's header string.
  wire& header_string(std::string_view value) {
    const std::size_t size = (value.size() + 1 + 63) / 64 * 64;
    u32(static_cast<std::uint32_t>(size));
    bytes_.append(value).append(size - value.size(), '\0');
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] order byte_order() const { return order_; }

 private:
  template <typename T>
  wire& number(T value) {
    for (std::size_t index = 0; index < sizeof(T); ++index) {
      const std::size_t place = order_ == order::little ? index : sizeof(T) - 1 - index;
      bytes_.push_back(static_cast<char>(value >> (8 * place) & 0xffU));
    }
    return *this;
  }
  order order_;
  std::string bytes_;
};

// perf_event_attr's flags, counted as on little-endian machines.
inline constexpr unsigned freq_flag = 10;
inline constexpr unsigned exclude_kernel_flag = 5;
inline constexpr unsigned sample_id_all_flag = 18;
inline constexpr unsigned use_clockid_flag = 25;

struct event_spec {
  std::uint32_t type = PERF_TYPE_SOFTWARE;
  std::uint64_t config = PERF_COUNT_SW_CPU_CLOCK;
  std::uint64_t period = 999;
  std::uint64_t sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  std::uint64_t read_format = 0;
  std::vector<unsigned> flags{freq_flag, sample_id_all_flag};
  std::uint64_t branch_sample_type = 0;
  std::uint64_t registers_user = 0;
  std::uint32_t clock_id = 0;
  std::uint64_t registers_interrupt = 0;
  std::uint32_t size = 136;
  std::vector<std::uint64_t> ids;
};

inline std::string attribute_bytes(const event_spec& spec, order byte_order) {
  std::uint64_t bits = 0;
  for (const unsigned flag : spec.flags) {
    bits |= std::uint64_t{1} << (byte_order == order::little ? flag : 63 - flag);
  }
  wire made(byte_order);
  made.u32(spec.type).u32(spec.size).u64(spec.config).u64(spec.period).u64(spec.sample_type);
  made.u64(spec.read_format).u64(bits).u32(0).u32(0).u64(0).u64(0).u64(spec.branch_sample_type);
  made.u64(spec.registers_user).u32(0).u32(spec.clock_id).u64(spec.registers_interrupt);
  made.u64(0).u64(0).u64(0).u64(0);
  std::string bytes = made.bytes();
  bytes.resize(spec.size, '\0');
  return bytes;
}

inline std::string record_bytes(std::uint32_t type, std::uint16_t misc, const wire& body) {
  wire made(body.byte_order());
  made.u32(type).u16(misc).u16(static_cast<std::uint16_t>(8 + body.bytes().size()));
  return made.raw(body.bytes()).bytes();
}

// A capture of the events given, its records appended in file order.
class capture_builder {
 public:
  capture_builder(order byte_order, std::vector<event_spec> events)
      : order_(byte_order), events_(std::move(events)) {}

  [[nodiscard]] wire body() const { return wire(order_); }
  capture_builder& record(std::uint32_t type, std::uint16_t misc, const wire& body) {
    records_ += record_bytes(type, misc, body);
    return *this;
  }
  capture_builder& append(std::string_view bytes) {
    records_ += bytes;
    return *this;
  }
  // Features in ascending order of their numbers.
  capture_builder& feature(stallscope::perf_format::feature number, const wire& body) {
    features_.emplace_back(static_cast<std::uint64_t>(number), body.bytes());
    return *this;
  }

  // Records of an event with TID and TIME in its trailer.
  capture_builder& mmap2(std::int32_t pid, std::uint64_t start, std::uint64_t length,
                         std::uint64_t page_offset, std::string_view path, std::uint64_t time) {
    wire made = body();
    made.u32(static_cast<std::uint32_t>(pid)).u32(static_cast<std::uint32_t>(pid));
    made.u64(start).u64(length).u64(page_offset).u32(8).u32(1).u64(77).u64(0).u32(5).u32(2);
    made.text(path).u32(0).u32(0).u64(time);
    return record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, made);
  }
  capture_builder& comm(std::int32_t pid, std::int32_t tid, std::string_view name,
                        std::uint64_t time, std::uint16_t misc = 0) {
    wire made = body();
    made.u32(static_cast<std::uint32_t>(pid)).u32(static_cast<std::uint32_t>(tid)).text(name);
    made.u32(0).u32(0).u64(time);
    return record(PERF_RECORD_COMM, misc, made);
  }
  capture_builder& task(std::uint32_t type, std::int32_t pid, std::int32_t parent, std::int32_t tid,
                        std::uint64_t time) {
    wire made = body();
    made.u32(static_cast<std::uint32_t>(pid)).u32(static_cast<std::uint32_t>(parent));
    made.u32(static_cast<std::uint32_t>(tid)).u32(static_cast<std::uint32_t>(parent));
    made.u64(time).u32(0).u32(0).u64(time);
    return record(type, 0, made);
  }
  // IP, TID and TIME only.
  capture_builder& sample(std::uint64_t ip, std::int32_t pid, std::int32_t tid, std::uint64_t time,
                          std::uint16_t misc = PERF_RECORD_MISC_USER) {
    wire made = body();
    made.u64(ip).u32(static_cast<std::uint32_t>(pid)).u32(static_cast<std::uint32_t>(tid));
    made.u64(time);
    return record(PERF_RECORD_SAMPLE, misc, made);
  }

  [[nodiscard]] std::string pipe() const {
    std::string made = magic() + wire(order_).u64(16).bytes();
    for (const event_spec& event : events_) {
      wire attr(order_);
      attr.raw(attribute_bytes(event, order_));
      for (const std::uint64_t id : event.ids) {
        attr.u64(id);
      }
      made += record_bytes(64, 0, attr);
    }
    return made + records_;
  }
  [[nodiscard]] std::string file() const {
    constexpr std::uint64_t header_bytes = 104;
    const std::uint64_t entry_bytes = events_.front().size + std::uint64_t{16};
    wire ids(order_);
    wire attributes(order_);
    const std::uint64_t ids_at = header_bytes + events_.size() * entry_bytes;
    for (const event_spec& event : events_) {
      attributes.raw(attribute_bytes(event, order_));
      attributes.u64(ids_at + ids.bytes().size()).u64(8 * event.ids.size());
      for (const std::uint64_t id : event.ids) {
        ids.u64(id);
      }
    }
    const std::uint64_t data_at = ids_at + ids.bytes().size();
    std::uint64_t bits = 0;
    std::uint64_t feature_at = data_at + records_.size() + 16 * features_.size();
    wire index(order_);
    std::string features;
    for (const auto& [number, bytes] : features_) {
      bits |= std::uint64_t{1} << number;
      index.u64(feature_at).u64(bytes.size());
      feature_at += bytes.size();
      features += bytes;
    }
    wire header(order_);
    header.raw(magic()).u64(header_bytes).u64(entry_bytes);
    header.u64(header_bytes).u64(events_.size() * entry_bytes).u64(data_at).u64(records_.size());
    header.u64(0).u64(0).u64(bits).u64(0).u64(0).u64(0);
    return header.bytes() + attributes.bytes() + ids.bytes() + records_ + index.bytes() + features;
  }

 private:
  [[nodiscard]] std::string magic() const {
    const std::string_view text(stallscope::perf_format::magic.data(), 8);
    return order_ == order::little ? std::string(text) : std::string(text.rbegin(), text.rend());
  }
  order order_;
  std::vector<event_spec> events_;
  std::string records_;
  std::vector<std::pair<std::uint64_t, std::string>> features_;
};

inline stallscope::capture::capture_content read(std::string_view bytes,
                                                 bool allow_truncated = false) {
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  stallscope::capture::read_options options;
  options.allow_truncated = allow_truncated;
  return stallscope::capture::read_capture(source, options);
}

// The error's message, or an empty one where the capture could be read.
inline std::string error_of(std::string_view bytes) {
  try {
    read(bytes);
  } catch (const stallscope::capture::capture_error& error) {
    return "at " + std::to_string(error.offset()) + ": " + error.what();
  }
  return {};
}

// One frame of a sample, as text: "path+0xoffset/kind".
inline std::string frame_text(const stallscope::capture::capture_content& from, std::size_t sample,
                              std::size_t depth) {
  const std::uint64_t first = from.stacks.offset[from.samples.stack[sample]];
  const std::uint32_t frame = from.stacks.frame[first + depth];
  const std::int32_t object = from.stacks.frame_object[frame];
  const std::string path = object < 0 ? "?" : from.objects[static_cast<std::size_t>(object)].path;
  std::ostringstream text;
  text << path << "+0x" << std::hex << from.stacks.frame_address[frame] << '/' << std::dec
       << static_cast<int>(from.stacks.kind[frame]);
  return text.str();
}

inline std::size_t depth_of(const stallscope::capture::capture_content& from, std::size_t sample) {
  const std::uint32_t stack = from.samples.stack[sample];
  return from.stacks.offset[stack + std::size_t{1}] - from.stacks.offset[stack];
}

}  // namespace capture_tests
