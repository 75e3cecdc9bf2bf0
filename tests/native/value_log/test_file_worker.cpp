#include <doctest/doctest.h>

#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "value_log/file_worker.hpp"

using namespace stallscope::value_log;

TEST_CASE("finish() waits until all jobs are done and their captures destroyed") {
  file_worker worker;
  worker.finish();  // no job was posted
  std::promise<void> gate;
  std::vector<int> done;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  worker.post([&] { gate.get_future().wait(); });
  worker.post([&done, last = std::move(held)] { done.push_back(*last); });
  worker.post([&done] { done.push_back(2); });
  std::jthread opener([&] { gate.set_value(); });
  worker.finish();
  CHECK(done == std::vector{1, 2});
  CHECK(seen.expired());
}
