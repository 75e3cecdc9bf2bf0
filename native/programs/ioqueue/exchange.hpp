// What the subcommands of stallscope-ioqueue have in common: the plan on standard input, lines on
// standard output, the signals that end a measurement in order, the log. Main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "disk/point_loop.hpp"
#include "histogram/interval_log.hpp"

namespace stallscope::ioqueue {

// The first SIGINT or SIGTERM from now on says stop to what measures, a second one ends the
// program.
disk::run_control& listen_to_signals();

// Standard input up to its end: failure (usage) beyond the largest plan.
std::string read_input();

// As a line of its own, at once. Throws std::system_error.
void print(const nlohmann::ordered_json& line);
void print(const std::string& line);

struct begin_facts {
  bool modelled = false;
  bool real_time = true;  // asked for
  bool direct = false;
  std::string uring_refusal;  // empty: there is io_uring
};
// Asks for the real-time class on a thread of its own, which then ends, so that this one stays in
// the usual class.
void tell_begin(const begin_facts& facts);
void tell_progress(const std::string& id, std::uint64_t begun_ns, const disk::run_control& from);
void tell_end(const disk::run_control& from);

// What the work returns or throws, which runs on a thread of its own while this one tells progress
// four times a second.
template <typename Work>
auto with_progress(const std::string& id, disk::run_control& control, Work work) {
  control.requests = 0;
  const std::uint64_t begun_ns = monotonic_ns();
  auto result = std::async(std::launch::async, std::move(work));
  while (result.wait_for(std::chrono::milliseconds{250}) != std::future_status::ready) {
    tell_progress(id, begun_ns, control);
  }
  return result.get();
}

// A file that must not be there yet; nothing where the name is empty. Throws failure.
std::optional<histogram::interval_log> open_log(const std::string& name, std::uint64_t now_ns);

}  // namespace stallscope::ioqueue
