// recording.json, format stallscope.recording/1.0: the target, the method, the host, the losses and
// the end of a recording. Pure computation. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collect/command.hpp"
#include "collect/document_parts.hpp"
#include "collect/drain.hpp"
#include "collect/event_choice.hpp"
#include "collect/features.hpp"
#include "collect/flight_facts.hpp"
#include "collect/options.hpp"
#include "collect/stack_choice.hpp"
#include "collect/wait_events.hpp"

namespace stallscope::collect {

struct attach_facts {
  std::string mode;  // "per-thread", "per-cpu", "per-cpu filtered"
  std::size_t threads = 0;
  std::size_t descriptors = 0;
  std::size_t duplicates_closed = 0;
  std::uint64_t opened_ns = 0;   // all threads present at the start are sampled from here on
  std::uint64_t settled_ns = 0;  // threads created during the attachment are, too
  std::size_t ring_bytes = 0;
};

struct recording_facts {
  bool complete = false;
  collect_options options;
  host_description host;
  event_choice choice;
  stack_choice stacks;
  wait_plan waits;
  attach_facts attach;
  std::optional<flight_facts> flight;
  std::vector<pid_t> pids;
  std::string cpus;
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_realtime_ns = 0;
  std::vector<file_entry> files;
  drain_counts counts;
  std::uint64_t lost_samples = 0;
  std::optional<perf_events::event_reading> counter;
  std::vector<warning> warnings;
  end_facts end;
};

// Returns the sum of the periods of all samples, for comparison with the counter.
std::uint64_t sampled_periods(const recording_facts& facts);

std::string to_json(const recording_facts& facts);

// The line of counters.jsonl with the reading at the end.
std::string counter_line(const recording_facts& facts);

}  // namespace stallscope::collect
