#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <initializer_list>

#include "collect/wait_sieve.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr std::uint64_t waking_id = 7;
constexpr std::uint64_t contention_id = 8;
constexpr std::array waking_ids{waking_id};
constexpr std::array contention_ids{contention_id};

// A ring that holds one record.
class ring_of_record {
 public:
  ring_of_record(std::uint32_t type, std::initializer_list<std::uint64_t> content) {
    const perf_event_header header{type, 0, static_cast<std::uint16_t>(8 + 8 * content.size())};
    std::memcpy(words_.data(), &header, sizeof header);
    std::copy(content.begin(), content.end(), words_.begin() + 1);
  }
  [[nodiscard]] perf_events::record_view record() const { return {view_, 0}; }

 private:
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::array<std::uint64_t, 16> words_{};
  perf_events::ring_view view_{&head_, &tail_, std::as_writable_bytes(std::span{words_})};
};

std::uint64_t thread_word(std::uint64_t tid) { return tid | tid << 32U; }

// A sample of a wake-up with a kernel call chain of one frame. Raw data: size, then 12 bytes with
// the woken thread at offset 8.
ring_of_record waking(std::uint64_t waker, std::uint64_t wakee) {
  return {PERF_RECORD_SAMPLE,
          {waking_id, 0, thread_word(waker), 5, 0, 1, 1, 0xffff, 12U, wakee << 32U}};
}

ring_of_record contention(std::uint64_t tid) {
  return {PERF_RECORD_SAMPLE, {contention_id, 0, thread_word(tid), 5, 0, 1, 0, 0}};
}

ring_of_record wait_fork(std::uint64_t child, std::uint64_t parent, std::uint64_t tid) {
  return {PERF_RECORD_FORK, {child | parent << 32U, tid | parent << 32U, 5}};
}

ring_of_record exec_name(std::uint64_t pid) {
  return {PERF_RECORD_COMM, {thread_word(pid), 0x6c73, thread_word(pid), 5, 0, 1}};
}

struct sieve_fixture {
  wait_sieve sieve{nullptr};
  sieve_fixture() {
    sieve.add_wake_ups(waking_ids, 8);
    sieve.add_events_of_runner(contention_ids);
    sieve.add_process(12);
    sieve.add_thread(12);
  }
  [[nodiscard]] bool keeps(const ring_of_record& ring) const { return sieve.keep(ring.record()); }
};

}  // namespace

TEST_CASE("wake-ups of the target are kept from any thread, wake-ups of other threads are not") {
  const sieve_fixture f;
  CHECK(f.keeps(waking(99, 12)));
  CHECK_FALSE(f.keeps(waking(12, 99)));
}

TEST_CASE("contended kernel locks are kept if a thread of the target waits") {
  const sieve_fixture f;
  CHECK(f.keeps(contention(12)));
  CHECK_FALSE(f.keeps(contention(99)));
}

TEST_CASE("threads and children of the target belong to it from their fork record on") {
  sieve_fixture f;
  CHECK_FALSE(f.keeps(waking(99, 13)));
  f.sieve.observe(wait_fork(12, 12, 13).record(), 0);
  f.sieve.observe(wait_fork(20, 12, 20).record(), 0);
  f.sieve.observe(wait_fork(20, 20, 21).record(), 0);
  f.sieve.observe(wait_fork(50, 49, 51).record(), 0);
  CHECK(f.keeps(waking(99, 13)));
  CHECK(f.keeps(waking(99, 20)));
  CHECK(f.keeps(waking(99, 21)));
  CHECK_FALSE(f.keeps(waking(99, 51)));
}

TEST_CASE("switches and other samples are kept") {
  const sieve_fixture f;
  CHECK(f.keeps({PERF_RECORD_SWITCH_CPU_WIDE, {1, 2, 3}}));
  CHECK(f.keeps({PERF_RECORD_SAMPLE, {1, 0, thread_word(12), 5, 0, 1, 0}}));
}

TEST_CASE("a chain or raw data beyond the end of the record names no thread") {
  const sieve_fixture f;
  CHECK_FALSE(
      f.keeps({PERF_RECORD_SAMPLE, {waking_id, 0, thread_word(12), 5, 0, 1, 1U << 30U, 12}}));
  CHECK_FALSE(f.keeps({PERF_RECORD_SAMPLE, {waking_id, 0, thread_word(12), 5, 0, 1, 0, 4}}));
}

TEST_CASE("a set of numbers holds what was inserted and ignores impossible numbers") {
  pid_set set;
  set.insert(70'000);
  set.insert(-1);
  set.insert(1 << 23);
  CHECK(set.contains(70'000));
  CHECK_FALSE(set.contains(69'999));
  CHECK_FALSE(set.contains(-1));
  CHECK_FALSE(set.contains(1 << 23));
}

TEST_CASE("an exec of another process is not an exec of the target") {
  const sieve_fixture f;
  CHECK(f.sieve.of_target(exec_name(12).record()));
  CHECK_FALSE(f.sieve.of_target(exec_name(99).record()));
}

TEST_CASE("samples of events that are not of the recording are dropped and counted") {
  sieve_fixture f;
  f.sieve.add_known(std::array<std::uint64_t, 1>{1});
  CHECK(f.keeps({PERF_RECORD_SAMPLE, {1, 0, thread_word(12), 5, 0, 1, 0}}));
  CHECK(f.keeps(waking(99, 12)));
  CHECK(f.sieve.unknown_samples() == 0);
  CHECK_FALSE(f.keeps({PERF_RECORD_SAMPLE, {2, 0, thread_word(12), 5, 0, 1, 0}}));
  CHECK(f.sieve.unknown_samples() == 1);
}

TEST_CASE(
    "samples and other records of an event that was opened again get the header's identifier") {
  constexpr std::array known{waking_id};
  event_aliases aliases;
  aliases.add(std::array{event_aliases::alias{99, waking_id}});
  wait_sieve sieve{nullptr};
  sieve.add_known(known);
  sieve.set_aliases(&aliases);
  const ring_of_record sample{PERF_RECORD_SAMPLE, {99, 0, thread_word(5), 5, 0, 1, 0, 0}};
  CHECK(sieve.written_id(sample.record()) == waking_id);
  CHECK(sieve.keep(sample.record()));
  const ring_of_record lost{PERF_RECORD_LOST, {99, 7, thread_word(5), 5, 0, 99}};
  CHECK(sieve.written_id(lost.record()) == waking_id);
  const ring_of_record foreign{PERF_RECORD_SAMPLE, {98, 0, thread_word(5), 5, 0, 1, 0, 0}};
  CHECK_FALSE(sieve.written_id(foreign.record()));
  CHECK_FALSE(sieve.keep(foreign.record()));
}
