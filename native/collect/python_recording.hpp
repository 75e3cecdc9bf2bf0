// Writes python.jsonl during a recording. Helper processes read the frames: with reading threads
// one per ring, otherwise a single one. Without CPython targets it costs one look-up per sample.
// With CPython targets it costs a thread and a helper per CPU, and four context switches and some
// 20 us per sample. All functions belong to the drain's thread.
//
//   python_recording python{proc, rings, sample_file{output.create("python.jsonl")}, keep};
//   python.start_threads();   // or start_single()
//   while (recording) python.pass();
//   python.finish();
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
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

  // Starts one thread and one helper per ring, on the ring's CPU. Throws std::system_error.
  void start_threads();
  // Starts a single helper. Its frames are those of a time after the sample.
  void start_single();
  // Call before each pass of the drain. Throws std::system_error if the file cannot be written.
  void pass();
  void finish();

  // Returns whether pass() must see each sample at once: a process is read without threads.
  [[nodiscard]] bool waits_for_samples() const;
  [[nodiscard]] std::uint64_t size_bytes() const { return file_.size_bytes(); }
  // See sample_file.
  void divert(append_sink* sink) { file_.divert(sink); }
  void append(std::string_view lines) { file_.append(std::as_bytes(std::span{lines})); }
  // Processes that were left out, and helpers that did not end.
  [[nodiscard]] const std::vector<warning>& warnings() const { return context_.warnings; }

 private:
  void add_reader(std::size_t ring, python_helper& helper);
  void forget(pid_t pid);
  void follow_cpu(std::size_t index);
  void stop_threads();
  void supervise(std::uint64_t now_ns);
  void write();

  const perf_events::ring_set* rings_;
  std::function<bool(const perf_events::record_view&)> keep_;
  python_helper_context context_;
  std::vector<std::unique_ptr<python_helper>> helpers_;
  std::vector<std::unique_ptr<python_reader>> readers_;
  std::vector<std::thread> threads_;
  std::atomic<int> reading_threads_ = 0;  // threads whose helper currently reads a process
  descriptor stop_;
  sample_file file_;
  std::uint64_t written_ns_ = 0;
  std::uint64_t supervised_ns_ = 0;
};

}  // namespace stallscope::collect
