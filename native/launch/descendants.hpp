// The processes below this one. As a subreaper this process becomes the parent of every descendant
// whose parent ends, also of those in another session, and can end them all. One thread.
//
//   adopt_descendants();
//   ... start and wait for a child ...
//   const unsigned leftovers = kill_descendants();
#pragma once

#include <sys/types.h>

#include <chrono>

namespace stallscope::launch {

// Makes this process the parent of orphaned descendants. Throws std::system_error.
void adopt_descendants();

// Returns whether a descendant still runs. Reaps those that have ended. One system call if there is
// none.
[[nodiscard]] bool has_descendants() noexcept;

// Reaps ended children except one, so that orphans of a long run do not stay as zombies.
void reap_orphans(pid_t except) noexcept;

// Ends all descendants: SIGTERM, and SIGKILL after `grace`. Returns how many had to be ended. A
// process that SIGKILL does not end within 2 s, because it waits in the kernel, is left.
unsigned end_descendants(std::chrono::nanoseconds grace);

}  // namespace stallscope::launch
