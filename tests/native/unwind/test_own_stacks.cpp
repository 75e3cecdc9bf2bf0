// Compares stacks of this process with the walk of the compiler's runtime.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "own_stacks.hpp"

namespace unwind = stallscope::unwind;

namespace {

void check_same(const both_walks& walks) {
  CHECK(walks.ours.size() == walks.theirs.size());
  CHECK(equal_frames(walks) == walks.theirs.size());
  CHECK(walks.end == unwind::chain_end::complete);
}

std::size_t exact_frames(const both_walks& walks) {
  return static_cast<std::size_t>(
      std::count_if(walks.ours.begin(), walks.ours.end(),
                    [](const unwind::frame& frame) { return frame.exact; }));
}

}  // namespace

TEST_CASE("a stack of this process equals the runtime's walk down to the entry") {
  const auto walks = walk_here();
  check_same(walks);
  CHECK(walks.ours.size() > 3);
  CHECK(exact_frames(walks) == 1);
}

TEST_CASE("a thread's stack ends at the thread's entry") {
  both_walks walks;
  std::thread([&] { walks = walk_here(); }).join();
  check_same(walks);
}

TEST_CASE("a short copy cuts the chain and reports it") {
  const auto whole = walk_here();
  const auto cut = walk_here(512);
  CHECK(cut.end == unwind::chain_end::cut_by_copy);
  CHECK(cut.ours.size() < whole.ours.size());
}

TEST_CASE("a signal frame leads to the interrupted code") {
  const auto walks = walk_in_handler(false);
  check_same(walks);
  CHECK(exact_frames(walks) == 2);
}

TEST_CASE("a handler on an alternate stack ends at the interrupted code") {
  const auto walks = walk_in_handler(true);
  CHECK(walks.end == unwind::chain_end::other_stack);
  CHECK(equal_frames(walks) == walks.ours.size());
  CHECK(exact_frames(walks) == 2);
  CHECK(walks.ours.back().exact);
  CHECK(walks.ours.size() < walks.theirs.size());
}
