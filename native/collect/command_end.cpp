#include "collect/command_end.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t grace_ns = 5'000'000'000;

}  // namespace

std::optional<exit_status> end_command(held_command& command, end_watch& watch) {
  if (const auto status = command.poll_status()) return status;
  command.send(SIGTERM);
  if (!watch.wait_for_processes(grace_ns)) {
    command.send(SIGKILL);
    watch.wait_for_processes(grace_ns);
  }
  return command.poll_status();
}

}  // namespace stallscope::collect
