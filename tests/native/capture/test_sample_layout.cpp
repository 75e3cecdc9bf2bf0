// Every field of a sample has its place, whatever else is recorded.
#include "capture/sample_layout.hpp"

#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::capture::attribute;
using stallscope::capture::capture_error;
using stallscope::capture::find_id_place;
using stallscope::capture::find_stack;
using stallscope::capture::parse_sample;
using stallscope::capture::sample_fields;

namespace {

// All fields that the kernel knows, in its order; `chain` entries in the call chain.
std::string all_fields(order byte_order, std::uint64_t chain) {
  wire made(byte_order);
  made.u64(1).u64(0x1234).u32(10).u32(11).u64(99).u64(0xadd).u64(1).u64(2).u32(3).u32(0).u64(50);
  made.u64(2).u64(8).u64(9).u64(100).u64(1).u64(0).u64(200).u64(2).u64(0);  // READ, a group of two
  made.u64(chain);
  for (std::uint64_t index = 0; index < chain; ++index) {
    made.u64(0x1000 + index);
  }
  made.u32(4).raw("rawd");
  made.u64(1).u64(77).u64(1).u64(2).u64(3).u64(4);  // one branch, its index and counters
  made.u64(2).u64(501).u64(502);                    // user registers
  made.u64(16).raw("stackstackstacks").u64(5);      // user stack, 5 bytes used
  made.u64(1).u64(2).u64(3);                        // weight, data source, transaction
  made.u64(1).u64(601);                             // interrupted registers
  made.u64(1).u64(2).u64(3).u64(4);                 // physical address, cgroup, page sizes
  made.u64(8).raw("auxauxau");
  return made.bytes();
}

attribute everything() {
  attribute event;
  event.sample_type = (PERF_SAMPLE_MAX - 1) & ~std::uint64_t{PERF_SAMPLE_WEIGHT_STRUCT};
  event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
                      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  event.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | 1U << 19U;
  event.registers_user = 0x11;
  event.registers_interrupt = 0x4;
  return event;
}

sample_fields parse(const attribute& event, const std::string& bytes, order byte_order) {
  const bool swap = (byte_order == order::big) != (std::endian::native == std::endian::big);
  return parse_sample(event, {.payload = std::as_bytes(std::span(bytes))}, swap);
}

}  // namespace

TEST_CASE("a sample with every field") {
  for (const order byte_order : {order::little, order::big}) {
    const std::string bytes = all_fields(byte_order, 3);
    const sample_fields fields = parse(everything(), bytes, byte_order);
    CHECK(fields.ip == 0x1234);
    CHECK(fields.pid == 10);
    CHECK(fields.tid == 11);
    CHECK(fields.time_ns == 99);
    CHECK(fields.cpu == 3);
    CHECK(fields.period == 50);
    CHECK(fields.chain.size() == 24);
    CHECK(fields.user_registers.size() == 16);
    CHECK(fields.user_stack.size() == 5);
    REQUIRE(fields.access.has_value());
    CHECK(fields.access->address == 0xadd);
    CHECK(fields.access->physical_address == 1);
    CHECK(fields.access->source == 2);
    CHECK(fields.access->weight == 1);
  }
}

TEST_CASE("a sample cut off at any byte is an error") {
  const std::string whole = all_fields(order::little, 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(parse(everything(), whole.substr(0, size), order::little), capture_error);
  }
}

TEST_CASE("counts beyond the record are errors without overflow") {
  attribute chain;
  chain.sample_type = PERF_SAMPLE_CALLCHAIN;
  attribute branches;
  branches.sample_type = PERF_SAMPLE_BRANCH_STACK;
  attribute values;
  values.sample_type = PERF_SAMPLE_READ;
  values.read_format = PERF_FORMAT_GROUP;
  attribute stack;
  stack.sample_type = PERF_SAMPLE_STACK_USER;
  for (const attribute& event : {chain, branches, values, stack}) {
    for (const std::uint64_t count :
         {std::uint64_t{2}, std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
      const std::string bytes = wire(order::little).u64(count).u64(0).bytes();
      CHECK_THROWS_AS(parse(event, bytes, order::little), capture_error);
    }
  }
}

TEST_CASE("absent registers occupy no space in a sample") {
  attribute event;
  event.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  event.registers_user = 0xffff;
  const std::string bytes = wire(order::little).u64(0).u64(0).bytes();
  CHECK(parse(event, bytes, order::little).user_registers.empty());
  CHECK(parse(event, bytes, order::little).user_stack.empty());
}

TEST_CASE("the position of the stack is read from the start of a sample, or is unknown") {
  attribute event;
  event.sample_type =
      PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  event.registers_user = 0x11;
  const auto stack_of = [&event](const wire& beginning) {
    return find_stack(event, std::as_bytes(std::span(beginning.bytes())), false);
  };
  const auto sample = [](std::uint64_t chain, std::uint64_t abi) {
    wire made(order::little);
    made.u64(0x1234).u64(chain).u64(1).u64(2).u64(abi);
    return abi == 0 ? made.u64(5'000) : made.u64(501).u64(502).u64(6'000);
  };
  REQUIRE(stack_of(sample(2, 2)));
  CHECK(stack_of(sample(2, 2))->at == 64);
  CHECK(stack_of(sample(2, 2))->size == 6'000);
  CHECK(stack_of(sample(2, 0))->at == 48);
  CHECK(stack_of(sample(2, 0))->size == 5'000);
  for (const std::uint64_t chain : {std::uint64_t{7}, std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
    CHECK_FALSE(stack_of(sample(chain, 2)));
  }
  CHECK_FALSE(stack_of(wire(order::little).u64(1)));
  event.sample_type |= PERF_SAMPLE_RAW;
  CHECK_FALSE(stack_of(sample(2, 2)));
  event.sample_type = PERF_SAMPLE_IP;
  CHECK_FALSE(stack_of(sample(2, 2)));
}

TEST_CASE("the id's position depends on the fields before and after it") {
  attribute event;
  event.sample_id_all = true;
  CHECK_FALSE(find_id_place(event).in_sample.has_value());
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
  CHECK(find_id_place(event).in_sample == 16);
  CHECK(find_id_place(event).from_end == 16);
  event.sample_type |= PERF_SAMPLE_IDENTIFIER;
  CHECK(find_id_place(event).in_sample == 0);
  CHECK(find_id_place(event).from_end == 8);
  event.sample_id_all = false;
  CHECK_FALSE(find_id_place(event).from_end.has_value());
}
