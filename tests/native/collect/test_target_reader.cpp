#include "collect/target_reader.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "collect/scratch.hpp"

namespace stallscope::collect {
namespace {

void add_status(const test::scratch& proc, pid_t pid) {
  const auto id = std::to_string(pid);
  proc.write(id + "/status",
             "Name:\tx\nState:\tS\nTgid:\t" + id + "\nPPid:\t1\nUid:\t1000\t1000\t1000\t1000\n");
  proc.write(id + "/task/" + id + "/comm", "x\n");
}

// A process whose mappings cannot be read: an open of a FIFO without a writer does not return.
void add_silent_process(const test::scratch& proc, pid_t pid) {
  add_status(proc, pid);
  REQUIRE(::mkfifo(proc.at(std::to_string(pid) + "/maps").c_str(), 0600) == 0);
}

std::size_t record_bytes(target_reader& reader, pid_t pid) {
  std::size_t bytes = 0;
  reader.write_records(
      pid, false, [&bytes](std::span<const std::byte> piece) { bytes += piece.size(); }, [] {});
  return bytes;
}

// The warnings about processes that were not read. On a loaded machine, helpers may also take
// longer to end after SIGKILL than is waited for, which has a warning of another code.
std::vector<warning> unread(std::vector<warning> warnings) {
  std::erase_if(warnings, [](const warning& made) { return made.code != "process-not-read"; });
  return warnings;
}

}  // namespace

TEST_CASE("code, tables and records of a process are those of a direct read") {
  const procfs proc;
  target_reader reader{proc};
  const auto direct = read_code_mappings(proc, ::getpid());
  const auto code = reader.mappings_of(::getpid());
  REQUIRE(code.mappings.size() == direct.mappings.size());
  CHECK(code.executable_inode == direct.executable_inode);
  CHECK(code.mappings[0].path == direct.mappings[0].path);
  CHECK(code.mappings[0].start == direct.mappings[0].start);
  const auto libc = std::find_if(
      code.mappings.begin(), code.mappings.end(),
      [](const auto& mapping) { return mapping.path.find("/libc.so") != std::string::npos; });
  REQUIRE(libc != code.mappings.end());
  const auto table = reader.table_of(::getpid(), *libc);
  const auto warnings = reader.finish();
  CAPTURE((warnings.empty() ? "" : warnings[0].message));
  REQUIRE(table.has_value());
  CHECK(table->frame_pointer_share() > 0);
  CHECK_FALSE(reader.runs_python(::getpid()));
  CHECK(record_bytes(reader, ::getpid()) > 200);
}

TEST_CASE("a process that does not answer is left out, and others are read") {
  const test::scratch folder;
  add_silent_process(folder, 11);
  add_status(folder, 12);
  folder.write("12/maps", "");
  target_reader reader{procfs{folder.at("")}};
  record_bytes(reader, 11);
  CHECK(record_bytes(reader, 12) > 0);
  CHECK(record_bytes(reader, 11) == 0);  // without another wait
  CHECK_FALSE(reader.runs_python(11));
  const auto warnings = unread(reader.finish());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].message.find("process 11 ") != std::string::npos);
}

TEST_CASE("processes that do not answer delay the start for a limited time") {
  const test::scratch folder;
  for (pid_t pid = 100; pid < 200; ++pid) add_silent_process(folder, pid);
  target_reader reader{procfs{folder.at("")}};
  const auto begin = std::chrono::steady_clock::now();
  for (pid_t pid = 100; pid < 200; ++pid) record_bytes(reader, pid);
  // Three processes of a user, each 0.4 s.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{15});
  CHECK(unread(reader.finish()).size() == 3);
}

TEST_CASE("damaged messages give fewer mappings and no crash") {
  auto bytes = encode(read_code_mappings(procfs{}, ::getpid()));
  const auto count = decode_mappings(bytes).mappings.size();
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    CHECK(decode_mappings(std::span{bytes}.first(size)).mappings.size() <= count);
  std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  CHECK(decode_mappings(bytes).mappings.empty());
  CHECK(decode_request(bytes).mapping.path.empty());
}

}  // namespace stallscope::collect
