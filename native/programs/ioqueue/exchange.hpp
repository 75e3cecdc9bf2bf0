// Parts that the subcommands of stallscope-ioqueue share: the plan from standard input, result
// lines on standard output, signals that stop a measurement, and the histogram log. Main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "disk/point_loop.hpp"
#include "histogram/interval_log.hpp"

namespace stallscope::ioqueue {

// Installs signal handlers: the first SIGINT or SIGTERM stops the measurement, the second one ends
// the program.
disk::run_control& handle_stop_signals();

// Reads standard input to its end. Throws failure (usage) if it exceeds the maximum plan size.
std::string read_input();

// Prints a line and flushes it. Throws std::system_error.
void print(const json& line);
void print(const std::string& line);

struct begin_facts {
  bool modelled = false;
  bool real_time = true;  // requested
  bool direct = false;
  std::string uring_refusal;  // empty if io_uring is available
};
// Tries the real-time class on a temporary thread, so that the calling thread keeps its class.
void print_begin(const begin_facts& facts);
void print_progress(const std::string& id, std::uint64_t begun_ns,
                    const disk::run_control& control);
void print_end(const disk::run_control& control);

// Runs `work` on a separate thread while the calling thread prints progress four times a second.
// Returns or throws what `work` does.
template <typename Work>
auto with_progress(const std::string& id, disk::run_control& control, Work work) {
  control.requests = 0;
  const std::uint64_t begun_ns = monotonic_ns();
  auto result = std::async(std::launch::async, std::move(work));
  while (result.wait_for(std::chrono::milliseconds{250}) != std::future_status::ready) {
    print_progress(id, begun_ns, control);
  }
  return result.get();
}

// Creates a log that must not exist; empty if the name is empty. Throws failure.
std::optional<histogram::interval_log> open_log(const std::string& name, std::uint64_t now_ns);

}  // namespace stallscope::ioqueue
