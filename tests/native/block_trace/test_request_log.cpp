// Pages of several CPUs, merged in order of time, with losses.
#include "block_trace/request_log.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace stallscope::block_trace {
namespace {

constexpr std::size_t page_size = 512;
constexpr std::uint16_t issue_number = 11;
constexpr std::uint16_t complete_number = 12;

event_layout layout_of(std::uint16_t number, event_kind kind) {
  return {.number = number,
          .kind = kind,
          .device = {8, 4},
          .sector = {16, 8},
          .sectors = {24, 4},
          .bytes = {},
          .error = {},
          .rwbs = {28, 4},
          .comm = {}};
}

request_log make_log(std::unordered_map<std::uint32_t, std::uint32_t> disks = {}) {
  return {{layout_of(issue_number, event_kind::issue),
           layout_of(complete_number, event_kind::complete)},
          page_size,
          std::move(disks)};
}

// Builds a page; event times are relative to the previous event.
class page_writer {
 public:
  explicit page_writer(std::uint64_t t_ns, bool missed = false)
      : bytes_(page_size), t_ns_(t_ns), missed_(missed) {}

  page_writer& add(std::uint16_t number, std::uint32_t delta_ns, std::uint64_t sector,
                   std::uint32_t device = 5) {
    put(at_, delta_ns << 5 | 8U);  // 8 words
    put(at_ + 4, number);
    put(at_ + 4 + 8, device);
    put(at_ + 4 + 16, sector);
    put(at_ + 4 + 24, std::uint32_t{8});
    std::memcpy(bytes_.data() + at_ + 4 + 28, "R\0\0", 4);
    at_ += 36;
    return *this;
  }
  std::vector<std::byte> done() {
    put(0, t_ns_);
    put(8, std::uint64_t{at_ - page_head_bytes} | (missed_ ? missed_bit : 0));
    return bytes_;
  }

 private:
  template <typename Value>
  void put(std::size_t at, Value value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }
  std::vector<std::byte> bytes_;
  std::uint64_t t_ns_;
  bool missed_;
  std::size_t at_ = page_head_bytes;
};

TEST_CASE("an issue and a completion on different CPUs are paired in order of time") {
  request_log log = make_log();
  log.add_pages(1, page_writer(1'500).add(complete_number, 0, 64).done());
  log.add_pages(0, page_writer(1'000).add(issue_number, 0, 64).add(issue_number, 900, 64).done());
  log.settle(1'600);
  auto done = log.pairs().take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].device_ns == 500);
  CHECK(log.pairs().pending_count() == 0);  // the second issue is not due yet
  log.settle(2'000);
  CHECK(log.pairs().pending_count() == 1);
  CHECK(log.events() == 3);
  CHECK(log.losses() == 0);
}

TEST_CASE("a page after a loss discards requests from before and during the loss") {
  request_log log = make_log();
  log.add_pages(0, page_writer(1'000).add(issue_number, 0, 64).done());
  log.add_pages(1, page_writer(1'100).add(issue_number, 0, 128).done());
  log.add_pages(0, page_writer(2'000, true)
                       .add(complete_number, 10, 64)
                       .add(issue_number, 10, 192)
                       .add(complete_number, 10, 192)
                       .done());
  log.settle(3'000);
  const auto done = log.pairs().take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].device_ns == 10);
  CHECK(log.pairs().counts().discarded == 2);
  CHECK(log.pairs().counts().begin_unseen == 1);
  CHECK(log.losses() == 1);
}

TEST_CASE("events of a partition count for its disk") {
  request_log log = make_log({{6, 5}});
  log.add_pages(0, page_writer(1).add(issue_number, 0, 64, 6).add(complete_number, 9, 64).done());
  log.settle(100);
  REQUIRE(log.pairs().take_completed().at(0).device == 5);
}

TEST_CASE("records of other tracepoints and damaged pages are skipped") {
  request_log log = make_log();
  log.add_pages(0, page_writer(1).add(99, 0, 64).done());
  std::vector<std::byte> broken = page_writer(1).add(issue_number, 0, 64).done();
  std::memset(broken.data() + 8, 0xff, 4);
  log.add_pages(0, broken);
  log.add_pages(0, std::vector<std::byte>(100));  // not a whole page
  log.settle(100);
  CHECK(log.pairs().pending_count() == 0);
  CHECK(log.losses() == 1);
  CHECK_THROWS_AS(request_log({}, 8, {}), std::invalid_argument);
}

}  // namespace
}  // namespace stallscope::block_trace
