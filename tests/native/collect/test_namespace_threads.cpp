#include "collect/namespace_threads.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collect/scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

void write_status(const test::scratch& root, int tid, const std::string& numbers) {
  root.write("50/task/" + std::to_string(tid) + "/status",
             "Name:\tx\nNSpid:\t" + numbers + "\nThreads:\t2\n");
}

}  // namespace

TEST_CASE("threads of a nested namespace are known by their innermost numbers") {
  const test::scratch root;
  write_status(root, 50, "50\t3\t1");
  write_status(root, 51, "51\t4\t8");
  namespace_threads threads{procfs{root.at("")}, 50};
  CHECK(threads.recorder_tid(8, 1) == 51);
  CHECK(threads.recorder_tid(4, 2) == 0);
}

TEST_CASE("a namespace in which the process has the same number is another one") {
  const test::scratch root;
  write_status(root, 50, "50\t50");
  write_status(root, 51, "51\t8");
  namespace_threads threads{procfs{root.at("")}, 50};
  CHECK(threads.recorder_tid(8, 1) == 51);
}

TEST_CASE("threads of another namespace are known by their numbers there") {
  const test::scratch root;
  write_status(root, 50, "50\t1");
  write_status(root, 51, "51\t8");
  namespace_threads threads{procfs{root.at("")}, 50};
  CHECK(threads.recorder_tid(8, 1) == 51);
  CHECK(threads.recorder_tid(9, 2) == 0);
  write_status(root, 52, "52\t9");
  CHECK(threads.recorder_tid(9, 3) == 0);  // /proc is read again after a while only
  CHECK(threads.recorder_tid(9, 1'000'000'000) == 52);
}

TEST_CASE("threads of the recorder's namespace keep their numbers") {
  const test::scratch root;
  write_status(root, 50, "50");
  namespace_threads threads{procfs{root.at("")}, 50};
  CHECK(threads.recorder_tid(1234, 1) == 1234);
}
