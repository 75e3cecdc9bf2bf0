#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <sstream>

#include "base/json.hpp"
#include "collect/scratch.hpp"
#include "count/counter_table.hpp"

using namespace stallscope;
using namespace stallscope::count;
using stallscope::json;

namespace {

counting_choice software() {
  counting_choice choice;
  choice.events = {perf_events::find_event("page-faults"), perf_events::find_event("task-clock"),
                   perf_events::find_event("minor-faults")};
  choice.how.user_only = true;
  choice.groups = {{{0, 1}}, {{2}}};
  return choice;
}

constexpr std::size_t touched_pages = 4'096;  // far more than reading the counters may touch

// One page fault a page.
void touch_fresh_pages() {
  constexpr std::size_t page_bytes = 4'096;
  constexpr std::size_t bytes = touched_pages * page_bytes;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  REQUIRE(::madvise(memory, bytes, MADV_NOHUGEPAGE) == 0);
  auto* const bytes_of_pages = static_cast<volatile char*>(memory);
  for (std::size_t page = 0; page < touched_pages; ++page) bytes_of_pages[page * page_bytes] = 1;
  ::munmap(memory, bytes);
}

std::vector<json> lines_of(const test::scratch& folder) {
  std::vector<json> lines;
  std::istringstream text{folder.read("log")};
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("a scope's members are added up and dropped scopes stay in the total") {
  const auto choice = software();
  counter_table table{choice};
  const auto scope = table.add_scope({1, {}, {}, {}});
  if (const int error = table.open(scope, {0, -1})) {
    MESSAGE("perf events are refused here: " << error);
    return;
  }
  REQUIRE(table.open(scope, {0, -1}) == 0);
  const auto other = table.add_scope({2, {}, {}, {}});
  REQUIRE(table.open(other, {0, -1}) == 0);
  CHECK(table.members() == 3);
  CHECK(table.descriptors_per_member() == 3);
  CHECK(table.descriptors() == 9);
  table.enable_all();
  touch_fresh_pages();
  const test::scratch folder;
  counter_log log{descriptor{::open(folder.at("log").c_str(), O_WRONLY | O_CREAT, 0600)}};
  table.read_all(0, log);
  log.flush();
  const auto lines = lines_of(folder);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["scope"] == json{{"pid", 1}});
  CHECK(lines[0]["v"].size() == 2);
  CHECK(lines[1]["v"].size() == 1);
  CHECK(lines[0]["v"][0].get<std::uint64_t>() >= 2 * touched_pages);  // two members
  CHECK(lines[2]["v"][0].get<std::uint64_t>() >= touched_pages);
  CHECK(table.totals()[0].enabled_ns ==
        lines[0]["enabled"].get<std::uint64_t>() + lines[2]["enabled"].get<std::uint64_t>());
  const auto counted = table.totals()[1].values[0];
  table.drop(other);
  CHECK(table.members() == 2);
  table.read_all(1, log);
  CHECK(table.totals()[1].values[0] >= counted);
  CHECK(table.failed_reads().empty());
}

TEST_CASE("a refused group leaves nothing open") {
  const auto choice = software();
  counter_table table{choice};
  const auto scope = table.add_scope({1, {}, {}, {}});
  CHECK(table.open(scope, {0, 1'000'000}) != 0);
  CHECK(table.members() == 0);
  CHECK(table.descriptors() == 0);
}
