// Writes python.jsonl while a recording runs: one reader for each ring. Costs nothing but a look-up
// a sample while no target is a CPython; where one is, a thread for each CPU, two switches to it
// and some 15 us a sample. Belongs to the drain's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "collect/python_reader.hpp"
#include "collect/sample_file.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

class python_recording {
 public:
  // The rings must outlive the recording; keep as in python_reader.
  python_recording(const procfs& proc, const perf_events::ring_set& rings, sample_file file,
                   const std::function<bool(const perf_events::record_view&)>& keep);
  python_recording(const python_recording&) = delete;
  python_recording& operator=(const python_recording&) = delete;
  python_recording(python_recording&&) = delete;
  python_recording& operator=(python_recording&&) = delete;
  ~python_recording();

  // From now on threads read at each sample, each on its ring's CPU.
  void start_threads();
  // To be called before each pass of the drain. Throws std::system_error where the file cannot take
  // what was read.
  void pass();
  void finish();

  // Whether each sample should be seen at once by pass() itself: some process is read, and not by
  // threads.
  [[nodiscard]] bool waits_for_samples() const;
  [[nodiscard]] std::uint64_t size_bytes() const { return file_.size_bytes(); }

 private:
  void read_on_cpu(std::size_t index);
  void stop_threads();
  void write();

  const perf_events::ring_set* rings_;
  std::vector<std::unique_ptr<python_reader>> readers_;
  std::vector<std::thread> threads_;
  std::atomic<int> reading_threads_ = 0;  // whose processes are read
  descriptor stop_;
  sample_file file_;
  std::uint64_t written_ns_ = 0;
};

}  // namespace stallscope::collect
