#include "collect/python_reader.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::collect {

python_reader::python_reader(python_frames::process_watch watch, const perf_events::ring_view& ring,
                             hooks callbacks)
    : watch_{std::move(watch)}, ring_{ring}, hooks_{std::move(callbacks)} {}

// The drain may release records during the read, and the kernel may then overwrite them. What was
// read of such a record is discarded.
void python_reader::look() {
  forget_gone();
  const auto head = ring_.head();
  while (seen_ < head) {
    seen_ = std::max(seen_, ring_.tail());
    if (seen_ >= head) break;
    const perf_events::record_view record{ring_, seen_};
    const auto size = record.size();
    if (ring_.tail() > seen_) continue;
    if (size < sizeof(perf_event_header) || record.end() > head) break;
    observe(record);
    seen_ += size;
  }
  watch_.read_noted(new_text_);
  const std::scoped_lock lock{mutex_};
  text_ += new_text_;
  new_text_.clear();
  counts_ = watch_.counts();
  reading_ = watch_.any_read();
}

void python_reader::observe(const perf_events::record_view& record) {
  const auto pid = static_cast<pid_t>(record.u32(8));
  const bool exec =
      record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0;
  const bool end = record.type() == PERF_RECORD_EXIT && record.u32(8) == record.u32(16);
  if (record.type() == PERF_RECORD_SAMPLE) {
    const perf_events::sample_fields_view sample{record};
    if (hooks_.keep(record) && ring_.tail() <= record.position())
      watch_.note({sample.pid, sample.tid, sample.time_ns});
  } else if ((exec || end) && ring_.tail() <= record.position()) {
    watch_.forget(pid);
    hooks_.gone(pid);
  }
}

void python_reader::forget_gone() {
  const std::scoped_lock lock{mutex_};
  for (const pid_t pid : gone_) watch_.forget(pid);
  gone_.clear();
}

void python_reader::forget(pid_t pid) {
  const std::scoped_lock lock{mutex_};
  gone_.push_back(pid);
}

std::string python_reader::take_text() {
  const std::scoped_lock lock{mutex_};
  return std::exchange(text_, {});
}

python_frames::read_counts python_reader::counts() {
  const std::scoped_lock lock{mutex_};
  return counts_;
}

bool python_reader::reading() {
  const std::scoped_lock lock{mutex_};
  return reading_;
}

}  // namespace stallscope::collect
