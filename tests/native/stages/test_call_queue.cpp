#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "stages/call_queue.hpp"

TEST_CASE("the queue is first in, first out for any sequence of pushes and pops") {
  std::mt19937 random(1);
  for (const std::size_t room : {0U, 1U, 4U, 64U}) {
    stallscope::stages::call_queue<int> queue(room);
    std::deque<int> model;
    bool alike = true;
    for (int i = 0; i < 20'000; ++i) {
      const bool fills = (i / 1000) % 2 == 0;
      if (model.empty() || random() % 5 < (fills ? 3U : 2U)) {
        queue.push(i);
        model.push_back(i);
      } else {
        alike = alike && queue.pop() == model.front();
        model.pop_front();
      }
      alike = alike && queue.size() == model.size() && queue.empty() == model.empty();
    }
    CHECK(alike);
  }
}
