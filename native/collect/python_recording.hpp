// Writes python.jsonl during a recording, with one reader per ring. Without CPython targets it
// costs one look-up per sample. With CPython targets it costs one thread per CPU, and two context
// switches and some 15 us per sample. All functions belong to the drain's thread.
//
//   python_recording python{proc, rings, sample_file{output.create("python.jsonl")}, keep};
//   python.start_threads();
//   while (recording) python.pass();
//   python.finish();
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
  // The rings must outlive the recording. `keep` is as in python_reader::hooks.
  python_recording(const procfs& proc, const perf_events::ring_set& rings, sample_file file,
                   const std::function<bool(const perf_events::record_view&)>& keep);
  python_recording(const python_recording&) = delete;
  python_recording& operator=(const python_recording&) = delete;
  python_recording(python_recording&&) = delete;
  python_recording& operator=(python_recording&&) = delete;
  ~python_recording();

  // Starts one thread per ring, on the ring's CPU, that reads at each sample.
  void start_threads();
  // Call before each pass of the drain. Throws std::system_error if the file cannot be written.
  void pass();
  void finish();

  // Returns whether pass() must see each sample at once: a process is read without threads.
  [[nodiscard]] bool waits_for_samples() const;
  [[nodiscard]] std::uint64_t size_bytes() const { return file_.size_bytes(); }

 private:
  void read_on_cpu(std::size_t index);
  void stop_threads();
  void write();

  const perf_events::ring_set* rings_;
  std::vector<std::unique_ptr<python_reader>> readers_;
  std::vector<std::thread> threads_;
  std::atomic<int> reading_threads_ = 0;  // threads that currently read a process
  descriptor stop_;
  sample_file file_;
  std::uint64_t written_ns_ = 0;
};

}  // namespace stallscope::collect
