// The end of a command that the collector started.
#pragma once

#include <optional>

#include "collect/command.hpp"
#include "collect/end_watch.hpp"

namespace stallscope::collect {

// Returns the exit status. A command that still runs gets SIGTERM, and SIGKILL after 5 s. The watch
// must already watch the command (end_watch::watch_process()).
std::optional<exit_status> end_command(held_command& command, end_watch& watch);

}  // namespace stallscope::collect
