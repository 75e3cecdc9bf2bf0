#include "collect/batch_pace.hpp"

#include <doctest/doctest.h>

namespace stallscope::collect {

constexpr std::uint64_t never_old_ns = 1'000'000'000;

TEST_CASE("the pause grows while batches are small, up to the limit") {
  batch_pace pace;
  CHECK(pace.pause_ns(never_old_ns, 0) == 2 * batch_pace::shortest_pause_ns);
  for (int i = 0; i < 10; ++i) pace.pause_ns(never_old_ns, batch_pace::full_batch);
  CHECK(pace.pause_ns(never_old_ns, 1) == batch_pace::longest_pause_ns);
}

TEST_CASE("a full batch shortens the pause, down to the limit") {
  batch_pace pace;
  for (int i = 0; i < 10; ++i) pace.pause_ns(never_old_ns, 0);
  CHECK(pace.pause_ns(never_old_ns, batch_pace::full_batch + 1) ==
        batch_pace::longest_pause_ns / 2);
  for (int i = 0; i < 10; ++i) pace.pause_ns(never_old_ns, 10 * batch_pace::full_batch);
  CHECK(pace.pause_ns(never_old_ns, 10 * batch_pace::full_batch) == batch_pace::shortest_pause_ns);
}

TEST_CASE("samples that grow old soon are passed on sooner") {
  batch_pace pace;
  for (int i = 0; i < 10; ++i) pace.pause_ns(never_old_ns, 0);
  constexpr std::uint64_t age_ns = 4'000'000;
  CHECK(pace.pause_ns(age_ns, 0) < age_ns);
  CHECK(pace.pause_ns(age_ns, 0) > batch_pace::shortest_pause_ns);
  CHECK(pace.pause_ns(1, 0) == batch_pace::shortest_pause_ns);
}

}  // namespace stallscope::collect
