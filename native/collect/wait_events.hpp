// The events that record waiting beside the sampled event: context switches of the target with the
// stack and the registers with which a thread left the CPU, and with the right to trace whole CPUs
// also the threads that ran instead, wake-ups and contended kernel locks. choose_wait_events()
// tries each event once, some system calls and reads of tracefs. One thread.
//
//   const auto plan = choose_wait_events(choice, options, tracefs_roots);
//   for (const auto& event : plan.of_cpus) open(event.attribute);
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collect/event_choice.hpp"
#include "collect/options.hpp"

namespace stallscope::collect {

// A source of information about waits. `reason` and `remedy` are empty if it is available.
struct wait_source {
  std::string name;
  bool available = false;
  std::string reason{};
  std::string remedy{};
};

// waker_stacks: call chains of threads that wake others, of at most some wake-ups per second.
// cpu_samples: the sampled event on whole CPUs, in windows only.
enum class wait_role {
  switches,
  switch_samples,
  wake_ups,
  waker_stacks,
  lock_contention,
  cpu_samples,
};

struct wait_event {
  wait_role role = wait_role::switches;
  std::string name;
  perf_event_attr attribute{};
  std::string filter{};     // a filter of the tracepoint's fields; empty: none
  bool in_windows = false;  // starts when every switch costs too much
};

// A tracepoint's number, its format file, and the offset of the field `pid`, 0 without one.
struct tracepoint {
  std::string system;
  std::string name;
  std::uint64_t id = 0;
  std::string format;
  std::uint32_t pid_offset = 0;
};

// The formats of the tracepoints' records. perf requires the texts of both headers.
struct trace_formats {
  std::string header_page;
  std::string header_event;
  std::vector<tracepoint> points;
};

struct wait_plan {
  bool active = false;
  std::vector<wait_event> of_threads;  // opened for every thread, beside the sampled event
  std::vector<wait_event> of_cpus;     // opened once per CPU, for all processes
  trace_formats formats;
  // The sampled event also records the switches: samples of switches are not permitted.
  bool switches_in_sampled_event = false;
  std::vector<wait_source> sources;
  std::vector<warning> warnings;
};

// Mount points where tracefs is looked for.
std::span<const char* const> tracefs_mounts();

// Reads a tracepoint below the first mount point that has it; the id is 0 if none has.
tracepoint find_tracepoint(std::span<const char* const> mounts, const std::string& system,
                           const std::string& name);

// Parses the format file of a tracepoint.
tracepoint parse_format(const std::string& text);

wait_plan choose_wait_events(const event_choice& choice, const collect_options& options,
                             std::span<const char* const> mounts);

}  // namespace stallscope::collect
