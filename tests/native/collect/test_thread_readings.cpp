#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "collect/thread_readings.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

TEST_CASE("the page faults of a thread that needed a disk are behind its name") {
  CHECK(major_faults_of("7 (a) b) S 1 2 3 4 5 6 70 80 9 100") == 9);
  CHECK_FALSE(major_faults_of("7 (a) S 1 2 3 4 5 6 70 80"));
  CHECK_FALSE(major_faults_of(""));
}

TEST_CASE("a system call is parsed with its number and six arguments") {
  const auto call = parse_system_call("202 0x7f10 0x80 0x2 0x0 0x0 0xffffffff 0x7ffc 0x7f33\n");
  REQUIRE(call);
  CHECK(*call == system_call{202, 0x7f10, 0x80, 2, 0, 0, 0xffffffff});
}

TEST_CASE("a running thread, a page fault and an unreadable file have no system call") {
  for (const char* text : {"", "running\n", "-1 0x7ffc 0x7f33\n", "202 0x1 0x2\n"})
    CHECK_FALSE(parse_system_call(text));
}

TEST_CASE("the cgroup is that of the cpu controller, or of version 2") {
  CHECK(cpu_cgroup_of("3:cpuset:/a\n2:cpu,cpuacct:/b\n0::/c\n") == "/b");
  CHECK(cpu_cgroup_of("3:cpuset:/a\n0::/c\n") == "/c");
  CHECK(cpu_cgroup_of("nonsense") == "");
}

TEST_CASE("a line per thread holds state, times and cgroup; a hostile name changes nothing") {
  const test::scratch folder;
  folder.write("12/cgroup", "0::/x\n");
  folder.write("12/task/12/stat", "12 (a) R (b) S 1 2\n");
  folder.write("12/task/12/schedstat", "5 6 7\n");
  folder.write("12/task/13/stat", "13 (c) D 1 2\n");
  const procfs proc{folder.at("")};
  const auto lines = thread_lines(proc, 12, "start");
  CHECK(
      lines.find(
          R"("tid":12,"state":"S","run_ns":5,"queue_ns":6,"runs":7,"syscall":null,"major_faults":null,"cgroup":"/x")") !=
      std::string::npos);
  CHECK(lines.find(R"("tid":13,"state":"D","run_ns":null,"queue_ns":null)") != std::string::npos);
}

TEST_CASE("a device that is no disk has its own kind") {
  const test::scratch folder;
  folder.write("12/fd/name", "");
  std::filesystem::create_symlink("/dev/null", folder.at("12/fd/3"));
  const procfs proc{folder.at("")};
  CHECK(descriptor_lines(proc, 12, "end").find(R"("fd":3,"kind":"device")") != std::string::npos);
}

TEST_CASE("an ended process has no lines") {
  const test::scratch folder;
  const procfs proc{folder.at("")};
  CHECK(thread_lines(proc, 12, "end").empty());
  CHECK(descriptor_lines(proc, 12, "end").empty());
}
