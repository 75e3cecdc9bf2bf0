#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/procfs.hpp"
#include "collect/scratch.hpp"

using namespace stallscope;

TEST_CASE("a line of maps, hostile paths among them") {
  const auto mapping = parse_mapping(
      "7f0000001000-7f0000003000 r-xp 00002000 fe:01 1234                       /usr/lib/a b\\012c "
      "(deleted)");
  REQUIRE(mapping);
  CHECK(mapping->start == 0x7f0000001000);
  CHECK(mapping->end == 0x7f0000003000);
  CHECK(mapping->page_offset == 0x2000);
  CHECK(mapping->major == 0xfe);
  CHECK(mapping->minor == 1);
  CHECK(mapping->inode == 1234);
  CHECK(mapping->protection == (PROT_READ | PROT_EXEC));
  CHECK_FALSE(mapping->shared);
  CHECK(mapping->path == "/usr/lib/a b\nc (deleted)");
  const auto anonymous = parse_mapping("1000-2000 rwxs 00000000 00:00 0 ");
  REQUIRE(anonymous);
  CHECK(anonymous->path.empty());
  CHECK(anonymous->shared);
}

TEST_CASE("malformed lines of maps are none") {
  for (const char* line :
       {"", "x", "1000-2000", "2000-1000 r-xp 0 0:0 0 /x", "1000-1000 r-xp 0 0:0 0"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_mapping(line));
  }
}

TEST_CASE("a recorded /proc") {
  const test::scratch folder;
  folder.write("12/status", "Name:\tod\xff d\nState:\tS (sleeping)\nTgid:\t12\nPPid:\t3\n");
  folder.write("12/task/12/comm", "main\n");
  folder.write("12/task/12/children", "40 41 ");
  folder.write("12/task/13/comm", "worker\n");
  folder.write("12/task/13/children", "42 ");
  folder.write("self/status", "");
  const procfs proc{folder.at("")};
  CHECK(proc.processes() == std::vector<pid_t>{12});
  auto threads = proc.threads(12);
  std::sort(threads.begin(), threads.end());
  CHECK(threads == std::vector<pid_t>{12, 13});
  CHECK(proc.thread_name(12, 13) == "worker");
  CHECK(proc.children(12).size() == 3);
  const auto status = proc.status(12);
  REQUIRE(status);
  CHECK(status->name == "od\xff d");
  CHECK(status->parent == 3);
  CHECK(status->state == 'S');
}

TEST_CASE("mappings are visited in order, and malformed lines are skipped") {
  const test::scratch folder;
  std::string text = "no mapping\n";
  constexpr unsigned long long count = 30'000;
  for (unsigned long long i = 0; i < count; ++i) {
    std::array<char, 96> line{};
    std::snprintf(line.data(), line.size(), "%llx-%llx r-xp 00000000 08:01 42 /lib/x\n",
                  0x1000 * (i + 1), 0x1000 * (i + 2));
    text += line.data();
  }
  folder.write("12/maps", text);
  std::uint64_t seen = 0;
  procfs{folder.at("")}.visit_mappings(12, [&seen](const memory_mapping& mapping) {
    ++seen;
    CHECK(mapping.start == 0x1000 * seen);
    return true;
  });
  CHECK(seen == count);
}

TEST_CASE("a process that is gone gives empty answers") {
  const procfs proc{"/nonexistent"};
  CHECK(proc.threads(1).empty());
  CHECK(proc.children(1).empty());
  CHECK_FALSE(proc.status(1));
  proc.visit_mappings(1, [](const memory_mapping&) {
    FAIL("a mapping of no process");
    return false;
  });
}

TEST_CASE("a process that has ended has no entries, but a lack of descriptors is an error") {
  const test::scratch folder;
  folder.write("12/status", "Name:\tname\n");
  folder.write("12/task/12/comm", "main\n");
  const procfs proc{folder.at("")};
  CHECK(proc.threads(13).empty());
  CHECK_FALSE(proc.status(13));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto error_of = [](const auto& call) {
    try {
      call();
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  };
  const int threads = error_of([&proc] { (void)proc.threads(12); });
  const int status = error_of([&proc] { (void)proc.status(12); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(threads == EMFILE);
  CHECK(status == EMFILE);
}
