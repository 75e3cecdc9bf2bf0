#include "stallscope/collect/python_recording.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "stallscope/clock.hpp"

namespace stallscope {
namespace {

// What is read is written so often, or once there is so much of it.
constexpr std::uint64_t write_pause_ns = 200'000'000;
constexpr std::size_t text_bytes = std::size_t{64} << 10U;

}  // namespace

python_recording::python_recording(const procfs& proc, std::vector<ring_view> rings,
                                   sample_file file, record_test keep)
    : watch_{proc},
      rings_{std::move(rings)},
      seen_(rings_.size()),
      file_{std::move(file)},
      keep_{std::move(keep)} {
  python_frames::put_header(text_);
  write();
}

void python_recording::pass() {
  for (std::size_t i = 0; i < rings_.size(); ++i) look_at(i);
  watch_.read_noted(text_);
  if (text_.size() >= text_bytes || monotonic_ns() >= written_ns_ + write_pause_ns) write();
}

void python_recording::finish() {
  watch_.finish(text_);
  write();
}

void python_recording::look_at(std::size_t index) {
  const auto& ring = rings_[index];
  auto& position = seen_[index];
  position = std::max(position, ring.tail());
  const auto head = ring.head();
  while (position < head) {
    const record_view record{ring, position};
    if (record.size() < sizeof(perf_event_header) || record.end() > head) break;
    observe(record);
    position = record.end();
  }
}

void python_recording::observe(const record_view& record) {
  if (record.type() == PERF_RECORD_SAMPLE) {
    const sample_fields_view sample{record};
    if (keep_(record)) watch_.note({sample.pid, sample.tid, sample.time_ns});
  } else if (record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC)) {
    watch_.forget(static_cast<pid_t>(record.u32(8)));
  } else if (record.type() == PERF_RECORD_EXIT && record.u32(8) == record.u32(16)) {
    watch_.forget(static_cast<pid_t>(record.u32(8)));  // the process's first thread
  }
}

void python_recording::write() {
  written_ns_ = monotonic_ns();
  if (text_.empty()) return;
  file_.append(std::as_bytes(std::span{text_}));
  text_.clear();
}

}  // namespace stallscope
