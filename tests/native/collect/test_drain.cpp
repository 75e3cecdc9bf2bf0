// The drain and the process filter on plain memory.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>
#include <memory>
#include <set>
#include <string_view>

#include "collect/process_filter.hpp"
#include "perf_events/perf_format.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

struct plain_ring {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::array<std::uint64_t, 64> words{};
  [[nodiscard]] perf_events::ring_view view() {
    return {&head, &tail, std::as_writable_bytes(std::span{words})};
  }

  void put(std::initializer_list<std::uint64_t> content, std::uint32_t type,
           std::uint16_t misc = 0) {
    const perf_event_header header{type, misc, static_cast<std::uint16_t>(8 + 8 * content.size())};
    std::uint64_t word = 0;
    std::memcpy(&word, &header, sizeof word);
    add(word);
    for (const auto value : content) add(value);
  }
  void add(std::uint64_t word) {
    words[head / 8 % words.size()] = word;
    head += 8;
  }
  void sample(std::uint64_t pid, std::uint64_t period = 10) {
    put({1, 0, pid | pid << 32U, 0, 0, period, 0}, PERF_RECORD_SAMPLE);
  }
  void fork(std::uint64_t child, std::uint64_t parent, std::uint64_t time) {
    put({child | parent << 32U, child | parent << 32U, time}, PERF_RECORD_FORK);
  }
  // With the trailer of our events: thread, time, CPU, identifier.
  void exec(std::uint64_t pid, std::string_view name, std::uint64_t time) {
    std::uint64_t text = 0;
    std::memcpy(&text, name.data(), name.size());
    put({pid | pid << 32U, text, 0, time, 0, 0}, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
  }
  void map(std::uint64_t pid, std::uint64_t time) {
    put({pid | pid << 32U, 0, 0, 0, 0, time, 0, 0}, PERF_RECORD_MMAP2);
  }
  void task_exit(std::uint64_t pid, std::uint64_t time) {
    put({pid, pid, time, 0, time, 0, 0}, PERF_RECORD_EXIT);
  }
};

struct fixture {
  test::scratch folder;
  std::array<plain_ring, 2> rings;
  sample_file file{
      descriptor{::open(folder.at("samples").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)}};
  drain drained{{rings[0].view(), rings[1].view()}, file};

  // The types of the records written, one letter each.
  [[nodiscard]] std::string written() const {
    const std::string bytes = folder.read("samples");
    std::string types;
    for (std::size_t at = 0; at < bytes.size();) {
      perf_event_header header{};
      std::memcpy(&header, bytes.data() + at, sizeof header);
      types += header.type == PERF_RECORD_SAMPLE ? 'S'
               : header.type == PERF_RECORD_FORK ? 'F'
               : header.type == static_cast<std::uint32_t>(perf_format::user_record::finished_round)
                   ? '.'
                   : '?';
      REQUIRE(header.size >= 8);
      at += header.size;
    }
    return types;
  }
};

// Writes into a ring while the sieve looks, as the kernel does.
class busy_filter : public process_filter {
 public:
  busy_filter(std::span<const pid_t> pids, plain_ring& ring) : process_filter{pids}, ring_{&ring} {}
  void observe(const perf_events::record_view& record, std::size_t index) override {
    process_filter::observe(record, index);
    if (std::exchange(once_, false)) ring_->sample(8);
  }

 private:
  plain_ring* ring_;
  bool once_ = true;
};

// Names another event in each sample.
class naming_sieve : public sieve {
 public:
  [[nodiscard]] bool watching() const override { return true; }
  void observe(const perf_events::record_view&, std::size_t) override {}
  void settle() override {}
  [[nodiscard]] bool keep(const perf_events::record_view&) const override { return true; }
  [[nodiscard]] std::optional<std::uint64_t> written_id(
      const perf_events::record_view& record) const override {
    return record.type() == PERF_RECORD_SAMPLE ? std::optional<std::uint64_t>{77} : std::nullopt;
  }
};

}  // namespace

TEST_CASE("without a sieve rings are written whole and each pass ends with a round record") {
  fixture f;
  f.rings[0].sample(7);
  f.rings[1].sample(8);
  f.rings[1].put({5, 3}, PERF_RECORD_LOST);
  f.drained.pass();
  CHECK(f.written() == "SS?.");
  CHECK(f.drained.counts().samples == 2);
  CHECK(f.drained.counts().periods == 20);
  CHECK(f.drained.counts().lost_samples == 3);
  CHECK(f.rings[1].tail == f.rings[1].head);
  f.drained.pass();
  CHECK(f.written() == "SS?.");
}

TEST_CASE("records that wrap around the ring are written contiguously") {
  fixture f;
  for (int i = 0; i < 100; ++i) {
    f.rings[0].sample(7, 1);
    f.rings[0].fork(9, 7, 1);
    f.drained.pass();
  }
  CHECK(f.drained.counts().samples == 100);
  CHECK(f.drained.counts().periods == 100);
  CHECK(f.written().size() == 300);
}

TEST_CASE("a filter keeps a process and the children announced in any ring") {
  fixture f;
  const std::array<pid_t, 1> pids{7};
  process_filter filter{pids};
  f.drained.set_sieve(&filter);
  f.rings[0].sample(7);
  f.rings[0].sample(8);  // a child, announced in the other ring
  f.rings[0].sample(9);  // a grandchild
  f.rings[0].sample(5);  // a stranger
  f.rings[1].fork(9, 8, 200);
  f.rings[1].fork(8, 7, 100);
  f.rings[1].fork(6, 5, 150);
  f.drained.pass();
  CHECK(f.written() == "SSSFF.");
  CHECK(f.drained.counts().left_out == 1);
}

TEST_CASE("the reused pid of an ended child is not followed") {
  fixture f;
  const std::array<pid_t, 1> pids{7};
  process_filter filter{pids};
  f.drained.set_sieve(&filter);
  f.rings[0].fork(8, 7, 100);
  f.drained.pass();
  f.rings[0].fork(8, 5, 200);
  f.rings[0].sample(8);
  f.drained.pass();
  CHECK(f.drained.counts().samples == 0);
}

TEST_CASE(
    "records that arrive during the scan are decided in the next pass, after their fork records") {
  fixture f;
  const std::array<pid_t, 1> pids{7};
  busy_filter filter{pids, f.rings[0]};
  f.drained.set_sieve(&filter);
  f.rings[0].sample(7);
  f.drained.pass();
  CHECK(f.written() == "S.");
  f.rings[1].fork(8, 7, 100);
  f.drained.pass();
  CHECK(f.written() == "S.SF.");
}

TEST_CASE("a program that runs as another user ends its process's samples and is reported") {
  fixture f;
  f.rings[0].exec(7, "sudo", 100);
  f.rings[0].task_exit(7, 101);
  f.rings[0].exec(8, "true", 100);
  f.rings[0].task_exit(8, 110);
  f.rings[1].map(8, 105);  // where it ran meanwhile
  f.rings[0].map(9, 99);
  f.rings[0].exec(9, "su", 100);
  f.rings[0].exec(10, "sleep", 100);
  f.rings[0].task_exit(11, 120);  // started nothing
  f.drained.pass();
  CHECK(f.drained.execs().programs().empty());
  f.rings[1].task_exit(9, 101);
  f.drained.pass();
  CHECK(f.drained.execs().programs() == std::set<std::string>{"su", "sudo"});
  f.rings[1].map(10, 105);
  f.drained.pass();
  f.rings[1].task_exit(10, 130);
  f.drained.pass();
  f.drained.pass();
  CHECK(f.drained.execs().programs() == std::set<std::string>{"su", "sudo"});
}

TEST_CASE("while held, nothing is written until a ring is half full") {
  fixture f;
  f.drained.hold(holding::until_crowded);
  f.rings[0].sample(7);
  f.drained.pass();
  CHECK(f.written().empty());
  for (int i = 0; i < 4; ++i) f.rings[0].sample(7);
  f.drained.pass();
  CHECK(f.written() == "SSSSS");
  f.rings[0].sample(7);
  f.drained.hold(holding::none);
  f.drained.pass();
  CHECK(f.written() == "SSSSSS.");
}

TEST_CASE("relieve() makes a pass only if a ring is half full") {
  fixture f;
  f.rings[0].sample(7);
  f.drained.relieve();
  CHECK(f.written().empty());
  for (int i = 0; i < 4; ++i) f.rings[0].sample(7);
  f.drained.hold(holding::until_crowded);
  f.drained.relieve();
  CHECK(f.written() == "SSSSS");
}

TEST_CASE("an invalid record header ends the scan without a hang") {
  fixture f;
  f.rings[0].add(0);
  f.drained.pass();
  CHECK(f.drained.counts().samples == 0);
}

TEST_CASE("records are written with the identifiers that the sieve names") {
  fixture f;
  naming_sieve names;
  f.drained.set_sieve(&names);
  f.drained.set_wait_events({{77, true}});
  for (const std::uint64_t pid : {7U, 8U, 9U}) f.rings[0].sample(pid);
  f.rings[0].put({5, 3}, PERF_RECORD_LOST);
  f.drained.pass();
  CHECK(f.written() == "SSS?.");
  CHECK(f.drained.counts().switch_samples == 3);
  const std::string bytes = f.folder.read("samples");
  for (std::size_t sample = 0; sample < 3; ++sample) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), bytes.data() + sample * 64, sizeof words);
    CHECK(words[1] == 77);
    CHECK(words[3] == (7 + sample) * 0x1'0000'0001);
  }
}
