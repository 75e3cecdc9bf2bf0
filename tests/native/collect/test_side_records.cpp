// Side records of dropped blocks: what later samples need stays.
#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <string>
#include <vector>

#include "collect/side_records.hpp"

using namespace stallscope::collect;

namespace {

// Records as the kernel writes them, with the trailer of our events.
struct side_block {
  std::vector<std::byte> bytes;

  void put(std::uint32_t type, std::vector<std::uint64_t> words, std::uint64_t time_ns,
           std::uint16_t misc = 0) {
    for (const std::uint64_t word : {std::uint64_t{0}, time_ns, std::uint64_t{0}, std::uint64_t{0}})
      words.push_back(word);
    const perf_event_header header{type, misc, static_cast<std::uint16_t>(8 + 8 * words.size())};
    append(&header, sizeof header);
    append(words.data(), 8 * words.size());
  }
  void append(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  }
  void fork(std::uint64_t pid, std::uint64_t parent, std::uint64_t time, std::uint64_t tid = 0) {
    put(PERF_RECORD_FORK, {pid | parent << 32U, (tid == 0 ? pid : tid) | parent << 32U, time},
        time);
  }
  void exit(std::uint64_t pid, std::uint64_t time, std::uint64_t tid = 0) {
    put(PERF_RECORD_EXIT, {pid, tid == 0 ? pid : tid, time}, time);
  }
  void exec(std::uint64_t pid, std::uint64_t time) {
    put(PERF_RECORD_COMM, {pid | pid << 32U, 0x61}, time, PERF_RECORD_MISC_COMM_EXEC);
  }
  void name(std::uint64_t pid, std::uint64_t tid, std::uint64_t time) {
    put(PERF_RECORD_COMM, {pid | tid << 32U, 0x62}, time);
  }
  void map(std::uint64_t pid, std::uint64_t address, std::uint64_t time) {
    put(PERF_RECORD_MMAP2, {pid | pid << 32U, address, 4096, 0, 0, 0, 0, 0x63}, time);
  }
  void sample() { put(PERF_RECORD_SAMPLE, {1, 2, 3, 4, 5, 6, 7}, 1); }
};

// A letter per record: M mapping, N name, F fork, X exit.
std::string side_kinds(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    perf_event_header header{};
    std::memcpy(&header, bytes.data() + at, sizeof header);
    text += header.type == PERF_RECORD_MMAP2  ? 'M'
            : header.type == PERF_RECORD_COMM ? 'N'
            : header.type == PERF_RECORD_FORK ? 'F'
            : header.type == PERF_RECORD_EXIT ? 'X'
                                              : '?';
    at += header.size;
  }
  return text;
}

bool no_process(pid_t) { return false; }

struct side_fixture {
  side_records kept{std::size_t{1} << 20U, no_process};
  side_block records;

  std::string compacted() {
    kept.take(records.bytes);
    kept.compact();
    return side_kinds(kept.bytes());
  }
};

}  // namespace

TEST_CASE_FIXTURE(side_fixture,
                  "mappings, names and forks of a dropped block are kept, samples not") {
  records.sample();
  records.fork(10, 1, 5);
  records.map(10, 0x1000, 6);
  records.sample();
  records.name(10, 10, 7);
  CHECK(compacted() == "FMN");
}

TEST_CASE_FIXTURE(side_fixture, "nothing remains of a process that has ended") {
  for (std::uint64_t pid = 10; pid < 200; ++pid) {
    records.fork(pid, 1, pid * 10);
    records.exec(pid, pid * 10 + 1);
    records.map(pid, 0x1000, pid * 10 + 2);
    records.exit(pid, pid * 10 + 3);
  }
  CHECK(compacted().empty());
}

TEST_CASE_FIXTURE(side_fixture,
                  "the mappings of a process that has ended stay while a child has them") {
  records.fork(10, 1, 1);
  records.exec(10, 2);
  records.map(10, 0x1000, 3);
  records.fork(11, 10, 4);
  records.exit(10, 5);
  CHECK(compacted() == "FNMFX");
  records = {};
  records.exec(11, 6);
  CHECK(compacted() == "FN");
}

TEST_CASE_FIXTURE(side_fixture, "a pid that is used again is another process") {
  records.fork(10, 1, 1);
  records.map(10, 0x1000, 2);
  records.exit(10, 3);
  records.fork(10, 1, 4);
  records.map(10, 0x2000, 5);
  CHECK(compacted() == "FM");
}

TEST_CASE_FIXTURE(side_fixture, "records of another ring are put into the order of time first") {
  records.map(10, 0x1000, 9);
  records.exec(10, 8);
  records.fork(10, 1, 7);
  CHECK(compacted() == "FNM");
}

TEST_CASE_FIXTURE(side_fixture,
                  "threads that have ended leave no records, and their process does") {
  records.map(10, 0x1000, 1);
  records.fork(10, 10, 2, 12);
  records.name(10, 12, 3);
  records.exit(10, 4, 12);
  CHECK(compacted() == "M");
}

TEST_CASE_FIXTURE(side_fixture, "mappings before an exec, and replaced ones, are removed") {
  records.map(10, 0x1000, 1);
  records.exec(10, 2);
  for (std::uint64_t i = 0; i < 50; ++i) records.map(10, 0x2000, 3 + i);
  CHECK(compacted() == "NM");
}

TEST_CASE("a process whose first thread has ended keeps its mappings while it lives") {
  side_records kept{std::size_t{1} << 20U, [](pid_t pid) { return pid == 10; }};
  side_block records;
  records.map(10, 0x1000, 1);
  records.exit(10, 2);
  kept.take(records.bytes);
  kept.compact();
  CHECK(side_kinds(kept.bytes()) == "MX");
}

TEST_CASE("the oldest records beyond the limit are dropped and counted") {
  side_records kept{std::size_t{1} << 20U, no_process};
  side_block records;
  const std::size_t count = 20'000;
  for (std::uint64_t i = 0; i < count; ++i) records.map(10, i * 4096, i);
  kept.take(records.bytes);
  CHECK(kept.bytes().size() <= std::size_t{1} << 20U);
  CHECK(kept.dropped() + side_kinds(kept.bytes()).size() == count);
}

TEST_CASE_FIXTURE(side_fixture, "a damaged size ends the reading of a block") {
  records.map(10, 0x1000, 1);
  const perf_event_header header{PERF_RECORD_MMAP2, 0, 3};
  records.append(&header, sizeof header);
  CHECK(compacted() == "M");
}
