#include "kernels/work.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/chunk_pace.hpp"

using namespace stallscope::kernels;

TEST_CASE("a ring visits every node before it closes") {
  for (const std::size_t size : {1U, 2U, 3U, 64U, 1000U}) {
    std::vector<chain_node> ring(size);
    link_randomly(ring, 7);
    for (std::size_t step = 1; step < size; ++step) {
      CHECK(chase_pointers(step, ring.data()) != ring.data());
    }
    CHECK(chase_pointers(size, ring.data()) == ring.data());
  }
}

TEST_CASE("a ring with a stride of three does not change other nodes") {
  std::vector<chain_node> nodes(100);
  link_randomly(nodes, 7, 3);
  const chain_node* node = nodes.data();
  for (std::size_t step = 0; step < 34; ++step) {
    CHECK((node - nodes.data()) % 3 == 0);
    CHECK((step == 0) == (node == nodes.data()));
    node = node->next;
  }
  CHECK(node == nodes.data());
  CHECK(nodes[1].next == nullptr);
  CHECK(nodes[2].next == nullptr);
}

TEST_CASE("a ring is not in memory order") {
  std::vector<chain_node> ring(1000);
  link_randomly(ring, 7);
  std::size_t in_order = 0;
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    if (ring[i].next == &ring[i + 1]) ++in_order;
  }
  CHECK(in_order < 20);
}

TEST_CASE("the result depends on the iterations and the seed") {
  CHECK(hot_arithmetic(1000, 1) != hot_arithmetic(1001, 1));
  CHECK(hot_arithmetic(1000, 1) != hot_arithmetic(1000, 2));
  CHECK(mispredict_branches(1000, 2) != mispredict_branches(1001, 2));
  CHECK(mispredict_branches(1000, 2) != mispredict_branches(1000, 4));
  CHECK(mostly_sleeping(1000, 1) != mostly_sleeping(1001, 1));
}

TEST_CASE("chunk_pace predicts iterations from earlier chunks") {
  chunk_pace pace;
  pace.learn(1'000'000, 5'000'000);  // 5 ns per iteration
  CHECK(pace.iterations_for(10'000'000) == 2'000'000);
  pace.learn(1'000'000, 0);  // a duration of 0 is ignored
  CHECK(pace.iterations_for(10'000'000) == 2'000'000);
  CHECK(pace.iterations_for(0) == 1000);  // the minimum
}
