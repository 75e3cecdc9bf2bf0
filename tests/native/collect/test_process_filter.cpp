#include <doctest/doctest.h>

#include "collect/process_filter.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

TEST_CASE(
    "children created while events are opened are followed with their children, earlier ones are "
    "not") {
  const test::scratch folder;
  const procfs proc{folder.at("")};
  folder.write("12/task/12/children", "40 ");
  folder.write("40/task/40/children", "");
  process_filter filter{std::vector<pid_t>{12, 13}};
  filter.note_first_children(proc);
  folder.write("12/task/12/children", "40 41 ");
  folder.write("12/task/14/children", "43 ");
  folder.write("40/task/40/children", "50 ");
  folder.write("41/task/41/children", "42 12 ");
  filter.follow_new_children(proc);
  CHECK(filter.followed() == std::unordered_set<pid_t>{12, 13, 41, 42, 43});
}
