#include <doctest/doctest.h>

#include <array>
#include <utility>

#include "base/linked_fifo.hpp"

namespace {

struct item {
  item* next = nullptr;
};

}  // namespace

TEST_CASE("objects leave a linked list in the order in which they entered") {
  std::array<item, 3> items;
  stallscope::linked_fifo<item> list;
  CHECK(list.pop() == nullptr);
  for (item& added : items) list.push(added);
  CHECK(list.pop() == &items[0]);
  list.push(items[0]);
  stallscope::linked_fifo<item> moved = std::exchange(list, {});
  CHECK(list.empty());
  CHECK(moved.pop() == &items[1]);
  CHECK(moved.pop() == &items[2]);
  CHECK(moved.first() == &items[0]);
  CHECK(moved.pop() == &items[0]);
  CHECK(moved.empty());
}
