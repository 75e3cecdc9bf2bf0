// User stacks that a kernel writes after the samples.
#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;

namespace {

constexpr std::uint32_t callchain_deferred = 22;
constexpr std::uint64_t user_deferred = ~std::uint64_t{0} - 639;
constexpr auto kernel_context = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
constexpr auto user_context = static_cast<std::uint64_t>(PERF_CONTEXT_USER);

event_spec chains() {
  event_spec event;
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
  event.flags = {};
  return event;
}

void add_kernel_sample(capture_builder& made, std::uint64_t cookie) {
  made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL,
              made.body()
                  .u64(kernel_text + 16)
                  .u32(1)
                  .u32(1)
                  .u64(4)
                  .u64(kernel_context)
                  .u64(kernel_text + 16)
                  .u64(user_deferred)
                  .u64(cookie));
}

void add_user_chain(capture_builder& made, std::uint64_t cookie) {
  made.record(callchain_deferred, 0,
              made.body().u64(cookie).u64(3).u64(user_context).u64(code + 16).u64(code + 64));
}

std::vector<std::uint64_t> addresses(const stallscope::capture::capture_content& done,
                                     std::size_t row) {
  const std::uint32_t stack = done.samples.stack[row];
  std::vector<std::uint64_t> result;
  for (auto at = done.stacks.offset[stack]; at < done.stacks.offset[stack + 1]; ++at) {
    result.push_back(done.stacks.frame_address[done.stacks.frame[at]]);
  }
  return result;
}

}  // namespace

TEST_CASE("a deferred user stack continues the stacks of all samples with its cookie") {
  for (const order byte_order : {order::little, order::big}) {
    capture_builder made(byte_order, {chains()});
    add_kernel_sample(made, 7);
    add_kernel_sample(made, 8);
    add_kernel_sample(made, 7);
    add_user_chain(made, 7);
    const auto done = read(made.pipe());
    CHECK(done.deferred_stacks == 1);
    CHECK(done.unknown_records == 0);
    const std::vector<std::uint64_t> whole{kernel_text + 16, code + 16, code + 63};
    CHECK(addresses(done, 0) == whole);
    CHECK(addresses(done, 2) == whole);
    CHECK(addresses(done, 1) == std::vector<std::uint64_t>{kernel_text + 16});
  }
}

TEST_CASE("a deferred user stack replaces the instruction pointer of a sample without a frame") {
  capture_builder made(order::little, {chains()});
  made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
              made.body().u64(code + 16).u32(1).u32(1).u64(2).u64(user_deferred).u64(7));
  add_user_chain(made, 7);
  const auto done = read(made.pipe());
  CHECK(done.deferred_stacks == 0);
  CHECK(addresses(done, 0) == std::vector<std::uint64_t>{code + 16, code + 63});
}

TEST_CASE("a deferred chain without a sample is ignored") {
  capture_builder made(order::little, {chains()});
  add_user_chain(made, 9);
  add_kernel_sample(made, 7);
  const auto done = read(made.pipe());
  CHECK(done.deferred_stacks == 1);
  CHECK(addresses(done, 0).size() == 1);
}

TEST_CASE("a deferred chain longer than its record is an error") {
  capture_builder made(order::little, {chains()});
  made.record(callchain_deferred, 0, made.body().u64(7).u64(~std::uint64_t{0} / 8).u64(code));
  CHECK_THROWS_AS(read(made.pipe()), stallscope::capture::capture_error);
}
