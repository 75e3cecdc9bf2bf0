#include <linux/perf_event.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/deferred_stacks.hpp"
#include "capture/event_attribute.hpp"
#include "capture/event_table.hpp"
#include "capture/features.hpp"
#include "capture/file_header.hpp"
#include "capture/read_capture.hpp"
#include "capture/record_stream.hpp"
#include "capture/sample_layout.hpp"
#include "capture/source_window.hpp"
#include "capture/timeline.hpp"
#include "capture/wire.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::capture {
namespace {

using perf_format::user_record;

constexpr std::size_t max_traces = std::size_t{1} << 20U;
// Lost samples that a BPF filter dropped on purpose.
constexpr std::uint16_t dropped_by_filter = 1U << 15U;
// PERF_RECORD_CALLCHAIN_DEFERRED, which older headers lack.
constexpr std::uint32_t record_callchain_deferred = 22;
// Types outside of these and of the kernel's below PERF_RECORD_MAX are newer than this reader.
constexpr auto first_user_record = static_cast<std::uint32_t>(user_record::header_attr);
constexpr auto last_user_record = static_cast<std::uint32_t>(user_record::compressed2);

// The first pass over the records.
class capture_reader {
 public:
  capture_reader(byte_source& source, const read_options& options)
      : options_(options),
        budget_(options.memory_limit_bytes),
        source_(source),
        window_(source),
        result_(budget_),
        events_(result_.attributes, budget_),
        features_(result_, events_, budget_),
        parsed_(source, budget_, options),
        deferred_(parsed_.raw, budget_) {}

  capture_content read() {
    try {
      start_ = read_file_start(window_, events_, options_.allow_truncated);
      result_.pipe = start_.pipe;
      result_.big_endian = start_.big_endian;
      if (start_.records.end_is_known) {
        result_.records_end = start_.records.end;
      }
      read_records();
      if (!result_.truncated_at) {
        read_feature_sections();
      }
      result_.deferred_stacks = deferred_.waiting();
      features_.apply_build_ids(parsed_.side.objects());
      result_.reads.offset.push_back(result_.reads.value.size());
      resolve_in_time_order(parsed_, result_, budget_, options_);
    } catch (const limit_exceeded& error) {
      throw capture_error(error.what(), offset_);
    }
    result_.bytes_read = window_.bytes_read();
    return std::move(result_);
  }

 private:
  void read_records() {
    record_stream stream(window_, start_.records, start_.swap, options_, finder_of_stacks());
    record current;
    while (stream.next(current)) {
      offset_ = current.offset;
      if (current.type == record_callchain_deferred) {
        deferred_.join(current, start_.swap, result_.samples);
      } else if (current.type < PERF_RECORD_MAX) {
        read_kernel_record(current);
      } else {
        read_user_record(current);
      }
    }
    result_.truncated_at = stream.truncated_at();
    if (result_.attributes.empty() && !result_.truncated_at) {
      throw capture_error("the capture ends without an event attribute", offset_);
    }
  }

  // Stacks of seekable sources are skipped here and read by the walk.
  stack_finder finder_of_stacks() {
    if (!source_.keeps_bytes()) {
      return nullptr;
    }
    return [this](const record& beginning) {
      const std::uint32_t event =
          events_.of_sample(beginning.payload, start_.swap, beginning.offset);
      return find_stack(events_.at(event), beginning.payload, start_.swap);
    };
  }

  void read_kernel_record(const record& current) {
    if (current.type == PERF_RECORD_SAMPLE) {
      return read_sample(current);
    }
    if (current.type == PERF_RECORD_THROTTLE) {
      ++result_.throttles;
    } else if (current.type == PERF_RECORD_UNTHROTTLE) {
      wire_cursor cursor = cursor_of(current);
      cursor.take<std::uint64_t>("time of an unthrottling");
      note_pause(cursor.take<std::uint64_t>("id of an unthrottling"));
    } else if (current.type == PERF_RECORD_LOST) {
      read_lost(current);
    } else if (current.type == PERF_RECORD_SWITCH || current.type == PERF_RECORD_SWITCH_CPU_WIDE) {
      read_switch(current);
    } else if (current.type == PERF_RECORD_LOST_SAMPLES) {
      const auto count = cursor_of(current).take<std::uint64_t>("number of lost samples");
      result_.lost_samples += (current.misc & dropped_by_filter) == 0 ? count : 0;
    } else {
      parsed_.side.add(current, start_.swap, moment_of(trailer_of(current)));
    }
  }

  void read_lost(const record& current) {
    wire_cursor cursor = cursor_of(current);
    cursor.take<std::uint64_t>("id of lost records");
    const auto count = cursor.take<std::uint64_t>("number of lost records");
    result_.lost_records += count;
    const trailer last = trailer_of(current);
    parsed_.waits.add_lost(last.fields.cpu, last.fields.time_ns.value_or(latest_ns_), count,
                           result_.waits.lost);
  }

  void read_switch(const record& current) {
    const trailer last = trailer_of(current);
    const auto body = current.payload.first(current.payload.size() - last.bytes);
    if (!last.fields.time_ns || last.fields.tid == -1) {
      return;  // without time or thread nothing follows from it
    }
    latest_ns_ = std::max(latest_ns_, *last.fields.time_ns);
    std::uint32_t other = switch_columns::no_thread;
    if (current.type == PERF_RECORD_SWITCH_CPU_WIDE) {
      wire_cursor cursor(body, start_.swap, current.offset);
      const auto pid = static_cast<std::int32_t>(cursor.take<std::uint32_t>("pid of a switch"));
      const auto tid = static_cast<std::int32_t>(cursor.take<std::uint32_t>("tid of a switch"));
      other = tid == -1 ? switch_columns::no_thread : parsed_.threads.intern(pid, tid);
    }
    const std::uint32_t thread = parsed_.threads.intern(last.fields.pid, last.fields.tid);
    parsed_.waits.add_switch({*last.fields.time_ns, thread, other, last.fields.cpu, current.misc},
                             result_.waits.switches);
  }

  void read_user_record(const record& current) {
    switch (static_cast<user_record>(current.type)) {
      case user_record::header_attr:
        return read_attribute(current);
      case user_record::header_feature:
        return features_.read_feature_record(cursor_of(current));
      case user_record::event_update:
        return features_.read_event_update(cursor_of(current));
      case user_record::auxtrace_info:
        result_.trace_kind = cursor_of(current).take<std::uint32_t>("kind of the traces");
        return;
      case user_record::auxtrace:
        return add_trace(current);
      case user_record::header_build_id:
        return features_.read_build_id_record(current.misc, cursor_of(current));
      default:
        if (current.type < first_user_record || current.type > last_user_record) {
          ++result_.unknown_records;
        }
    }
  }

  void read_sample(const record& current) {
    const std::uint32_t event = events_.of_sample(current.payload, start_.swap, current.offset);
    const attribute& described = events_.at(event);
    const sample_fields fields = parse_sample(described, current, start_.swap);
    sample_columns& samples = result_.samples;
    if (samples.time_ns.size() == std::numeric_limits<std::uint32_t>::max()) {
      throw limit_exceeded("more than 4,294,967,295 samples");
    }
    if (thread_ == hash_index::none || fields.pid != pid_ || fields.tid != tid_) {
      thread_ = parsed_.threads.intern(fields.pid, fields.tid);
      pid_ = fields.pid;
      tid_ = fields.tid;
    }
    latest_ns_ = std::max(latest_ns_, fields.time_ns);
    const frame_kind kind = kind_of_misc(current.misc);
    if (may_be_unwound(kind)) {
      parsed_.copies.add(static_cast<std::uint32_t>(samples.time_ns.size()), fields, current);
    }
    samples.time_ns.push_back(fields.time_ns);
    samples.period.push_back(fields.period.value_or(std::max<std::uint64_t>(described.period, 1)));
    samples.thread.push_back(thread_);
    samples.stack.push_back(parsed_.raw.add(fields, kind, start_.swap));
    if (parsed_.raw.user_stack_deferred()) {
      deferred_.add(static_cast<std::uint32_t>(samples.stack.size() - 1));
    }
    samples.cpu.push_back(fields.cpu);
    samples.event.push_back(static_cast<std::uint16_t>(event));
    parsed_.waits.add_sample(described, fields, start_.swap, result_);
    if (fields.reading) {
      add_reading(*fields.reading);
    } else if (samples.read.size() != 0) {
      samples.read.push_back(read_columns::none);
    }
    if (fields.access) {
      add_access(*fields.access);
    } else if (samples.access.size() != 0) {
      samples.access.push_back(access_columns::none);
    }
  }

  // Adds the memory access of the last added sample.
  void add_access(const memory_access& access) {
    access_columns& accesses = result_.accesses;
    result_.samples.access.resize(result_.samples.time_ns.size() - 1, access_columns::none);
    result_.samples.access.push_back(static_cast<std::uint32_t>(accesses.address.size()));
    accesses.address.push_back(access.address);
    accesses.physical_address.push_back(access.physical_address);
    accesses.source.push_back(access.source);
    accesses.weight.push_back(access.weight);
  }

  // Adds the reading of the last added sample.
  void add_reading(const counter_reading& reading) {
    sample_columns& samples = result_.samples;
    read_columns& reads = result_.reads;
    samples.read.resize(samples.time_ns.size() - 1, read_columns::none);
    samples.read.push_back(static_cast<std::uint32_t>(reads.stream.size()));
    reads.stream.push_back(load<std::uint64_t>(reading.values.data() + 8, start_.swap));
    reads.enabled_ns.push_back(reading.enabled_ns);
    reads.running_ns.push_back(reading.running_ns);
    reads.offset.push_back(reads.value.size());
    bool paused = false;
    for (std::size_t at = 0; at < reading.values.size(); at += reading.entry_bytes) {
      const std::byte* entry = reading.values.data() + at;
      const auto id = load<std::uint64_t>(entry + 8, start_.swap);
      paused = pauses_.erase(id) != 0 || paused;
      const std::uint32_t event = events_.find(id);
      reads.value.push_back(load<std::uint64_t>(entry, start_.swap));
      reads.event.push_back(event == hash_index::none ? read_columns::unknown_event
                                                      : static_cast<std::uint16_t>(event));
    }
    reads.paused.push_back(paused ? 1 : 0);
  }

  // Marks the next reading of this event's group as following a pause. The list is short, because
  // samples follow soon; a hostile file may have more.
  void note_pause(std::uint64_t id) {
    constexpr std::size_t most = 65'536;
    if (pauses_.size() < most && events_.find(id) != hash_index::none) pauses_.insert(id);
  }

  void add_trace(const record& current) {
    wire_cursor cursor = cursor_of(current);
    trace_block block;
    block.bytes = cursor.take<std::uint64_t>("size of a trace");
    cursor.take<std::uint64_t>("position of a trace");
    cursor.take<std::uint64_t>("reference of a trace");
    cursor.take<std::uint32_t>("number of a trace");
    block.tid = static_cast<std::int32_t>(cursor.take<std::uint32_t>("thread of a trace"));
    block.cpu = static_cast<std::int32_t>(cursor.take<std::uint32_t>("CPU of a trace"));
    block.file_offset = current.offset + sizeof(perf_event_header) + current.payload.size();
    if (result_.traces.size() == max_traces) throw limit_exceeded("more than 1,048,576 traces");
    budget_.charge(sizeof block);
    result_.traces.push_back(block);
  }

  // Excludes registers of the other byte order and samples of guests.
  [[nodiscard]] bool may_be_unwound(frame_kind kind) const {
    return options_.unwind_table && !start_.swap &&
           (kind == frame_kind::user || kind == frame_kind::kernel || kind == frame_kind::unknown);
  }

  struct trailer {
    std::size_t bytes = 0;
    trailer_fields fields;
  };
  trailer trailer_of(const record& current) {
    const attribute* event = events_.of_other(current.payload, start_.swap);
    const std::size_t size = event == nullptr ? 0 : trailer_size(*event);
    if (size == 0 || size > current.payload.size()) {
      return {};
    }
    return {size, parse_trailer(*event, current.payload.last(size), start_.swap)};
  }

  // Records without a trailer (old versions) get the time of the preceding samples.
  sideband::moment moment_of(const trailer& last) {
    sideband::moment when;
    when.samples_before = static_cast<std::uint32_t>(result_.samples.time_ns.size());
    if (last.bytes == 0) {
      when.time_ns = latest_ns_;
      return when;
    }
    when.trailer_bytes = last.bytes;
    when.time_ns = last.fields.time_ns.value_or(0);
    latest_ns_ = std::max(latest_ns_, when.time_ns);
    return when;
  }

  void read_attribute(const record& current) {
    const std::size_t size = attribute_size(current.payload, start_.swap, current.offset);
    const auto id_bytes = current.payload.subspan(size);
    std::vector<std::uint64_t> ids;
    for (std::size_t at = 0; at + 8 <= id_bytes.size(); at += 8) {
      ids.push_back(load<std::uint64_t>(id_bytes.data() + at, start_.swap));
    }
    events_.add(parse_attribute(current.payload, start_.swap, current.offset), ids, current.offset);
  }

  // Returns whether an allowed truncation cuts a section.
  bool ends_before(std::uint64_t offset, std::uint64_t size) {
    const std::uint64_t end = window_.end();
    if (!options_.allow_truncated || (offset <= end && size <= end - offset)) {
      return false;
    }
    result_.truncated_at = std::min(offset, end);
    return true;
  }

  void read_feature_sections() {
    if (!start_.records.end_is_known) {
      return;
    }
    const auto count = start_.features.size();
    const std::uint64_t index_at = start_.records.end;
    if (ends_before(index_at, count * 16)) {
      return;
    }
    const auto index = window_.section(index_at, count * 16, "feature sections");
    for (std::size_t at = 0; at < count; ++at) {
      const auto offset = load<std::uint64_t>(index.data() + at * 16, start_.swap);
      const auto size = load<std::uint64_t>(index.data() + at * 16 + 8, start_.swap);
      offset_ = offset;
      if (ends_before(offset, size)) {
        return;
      }
      if (features_.uses(start_.features[at])) {
        const auto bytes = window_.section(offset, size, "feature section");
        features_.read_feature(start_.features[at], wire_cursor(bytes, start_.swap, offset));
      } else {
        window_.check_range(offset, size, "feature section");
      }
    }
  }

  [[nodiscard]] wire_cursor cursor_of(const record& current) const {
    return {current.payload, start_.swap, current.offset};
  }

  const read_options& options_;
  memory_budget budget_;
  const byte_source& source_;
  source_window window_;
  capture_content result_;
  event_table events_;
  feature_reader features_;
  first_pass parsed_;
  deferred_stacks deferred_;
  file_start start_;
  // Ids of events that were stopped and resumed, without a reading since then.
  std::unordered_set<std::uint64_t> pauses_;
  std::uint64_t offset_ = 0;
  std::uint64_t latest_ns_ = 0;
  std::uint32_t thread_ = hash_index::none;
  std::int32_t pid_ = 0;
  std::int32_t tid_ = 0;
};

}  // namespace

capture_content read_capture(byte_source& source, const read_options& options) {
  return capture_reader(source, options).read();
}

}  // namespace stallscope::capture
