// Writes python.jsonl while a recording runs: looks at new samples in the rings before they are
// drained, and has the Python frames of their threads read at once. Costs nothing but a look-up a
// sample while no target is a CPython, some 15 us a sample where one is. One thread, that of the
// drain.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stallscope/collect/procfs.hpp"
#include "stallscope/collect/sample_file.hpp"
#include "stallscope/perf_events/ring_view.hpp"
#include "stallscope/python_frames/process_watch.hpp"

namespace stallscope {

class python_recording {
 public:
  // Only samples that keep() lets pass are looked at.
  using record_test = std::function<bool(const record_view&)>;
  python_recording(const procfs& proc, std::vector<ring_view> rings, sample_file file,
                   record_test keep);

  // To be called before each pass of the drain. Throws std::system_error where the file cannot take
  // what was read.
  void pass();
  void finish();

  // Whether some process's frames are being read: each sample should be seen at once.
  [[nodiscard]] bool reading() const { return watch_.any_read(); }
  [[nodiscard]] std::uint64_t size_bytes() const { return file_.size_bytes(); }

 private:
  void look_at(std::size_t index);
  void observe(const record_view& record);
  void write();

  python_frames::process_watch watch_;
  std::vector<ring_view> rings_;
  std::vector<std::uint64_t> seen_;  // of each ring, up to where
  sample_file file_;
  record_test keep_;
  std::string text_;
  std::uint64_t written_ns_ = 0;
};

}  // namespace stallscope
