// The end of a command that the collector started.
#pragma once

#include <optional>

#include "collect/command.hpp"
#include "collect/end_watch.hpp"

namespace stallscope::collect {

// Its status: where it still runs it is asked to end, and after 5 s made to. The watch must have
// been told to watch it.
std::optional<exit_status> end_command(held_command& command, end_watch& watch);

}  // namespace stallscope::collect
