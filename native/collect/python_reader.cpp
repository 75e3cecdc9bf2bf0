#include "collect/python_reader.hpp"

#include <algorithm>

namespace stallscope::collect {

// The drain may release records during the pass, and the kernel may then overwrite them. What was
// read of such a record is discarded.
void python_reader::forward_samples() {
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
  helper_->wake();
}

void python_reader::observe(const perf_events::record_view& record) {
  const auto pid = static_cast<pid_t>(record.u32(8));
  const bool exec =
      record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0;
  const bool end = record.type() == PERF_RECORD_EXIT && record.u32(8) == record.u32(16);
  if (record.type() == PERF_RECORD_SAMPLE) {
    const perf_events::sample_fields_view sample{record};
    if (hooks_.keep(record) && ring_.tail() <= record.position())
      helper_->note({sample.pid, sample.tid, sample.time_ns});
  } else if ((exec || end) && ring_.tail() <= record.position()) {
    hooks_.gone(pid);
  }
}

}  // namespace stallscope::collect
