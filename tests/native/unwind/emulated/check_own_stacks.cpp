// Runs under an emulator of another architecture. Exits with 0 if the unwinder's walks of this
// process equal the runtime's walks: through function calls, in a thread, from a signal handler,
// and from an alternate stack.
#include <cstdio>
#include <thread>

#include "own_stacks.hpp"

using stallscope::unwind::chain_end;

namespace {

bool holds(const char* what, const both_walks& walks, chain_end end) {
  const std::size_t expected = end == chain_end::complete ? walks.theirs.size() : walks.ours.size();
  const std::size_t equal = equal_frames(walks);
  std::printf("%s: %zu frames, %zu by the runtime, %zu equal, end %d\n", what, walks.ours.size(),
              walks.theirs.size(), equal, static_cast<int>(walks.end));
  return walks.end == end && equal == expected && walks.ours.size() == expected && equal > 2;
}

}  // namespace

int main() {
  both_walks in_thread;
  std::thread([&] { in_thread = walk_here(); }).join();
  const bool all = holds("calls", walk_here(), chain_end::complete) &
                   holds("thread", in_thread, chain_end::complete) &
                   holds("signal", walk_in_handler(false), chain_end::complete) &
                   holds("alternate stack", walk_in_handler(true), chain_end::other_stack);
  return all ? 0 : 1;
}
