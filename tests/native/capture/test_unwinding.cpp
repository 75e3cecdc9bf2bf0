// Copied stacks become chains: under the mappings of their moment, from files and from pipes.
#include <doctest/doctest.h>
#include <zstd.h>

#include <stdexcept>

#include "capture/stack_walker.hpp"
#include "elf_builder.hpp"
#include "stack_samples.hpp"

using namespace capture_tests;
using stallscope::capture::object;
using stallscope::unwind::chain_end;
using chain = std::vector<std::string>;

namespace {

// One place, whose mapping is replaced between two samples that are out of order in the file.
capture_builder two_stacks() {
  capture_builder made(order::little, {stack_event()});
  made.mmap2(1, code, 0x1000, 0x2000, "/opt/old", 30);
  add_sample(made, {.ip = code + 0x10, .time = 3000, .stack = stack_of({code + 0x40})});
  made.mmap2(1, code, 0x1000, 0x5000, "/opt/new", 2000);
  add_sample(made,
             {.ip = code + 0x20, .time = 1000, .stack = stack_of({code + 0x40, code + 0x80})});
  return made;
}

void check_both_chains(const stallscope::capture::capture_content& read) {
  REQUIRE(read.samples.time_ns.size() == 2);
  // Callers one byte before the return address, the leaf as it is.
  CHECK(chain_of(read, 0) == chain{"/opt/old+0x2020/0", "/opt/old+0x203f/0", "/opt/old+0x207f/0"});
  CHECK(chain_of(read, 1) == chain{"/opt/new+0x5010/0", "/opt/new+0x503f/0"});
  CHECK(end_of(read, 0) == chain_end::complete);
  CHECK(end_of(read, 1) == chain_end::complete);
}

std::string compressed(const std::string& pipe, std::size_t records_at) {
  const std::string plain = pipe.substr(records_at);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
  return pipe.substr(0, records_at) + record_bytes(81, 0, wire(order::little).raw(packed));
}

}  // namespace

TEST_CASE("stacks are unwound with the mappings at their time") {
  check_both_chains(unwound(two_stacks().file()));
  check_both_chains(unwound(two_stacks().pipe()));
}

TEST_CASE("the stacks of pipes and of compressed records are kept in a temporary file") {
  const std::string pipe = two_stacks().pipe();
  forward_source source(pipe);
  check_both_chains(stallscope::capture::read_capture(source, without_tables()));
  const std::size_t records_at = capture_builder(order::little, {stack_event()}).pipe().size();
  check_both_chains(unwound(compressed(pipe, records_at)));
}

TEST_CASE("without a callback the kernel's chain is unchanged") {
  const auto done = read(two_stacks().file());
  CHECK(chain_of(done, 0) == chain{"/opt/old+0x2020/0"});
  CHECK(end_of(done, 0) == chain_end::kernel_given);
}

TEST_CASE("the unwound frames follow the kernel's frames") {
  capture_builder made(order::little, {stack_event(PERF_SAMPLE_CALLCHAIN)});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  add_sample(made,
             {.ip = code + 0x10,
              .time = 5,
              .stack = stack_of({code + 0x40}),
              .chain = {PERF_CONTEXT_KERNEL, kernel_text, kernel_text + 0x20},
              .has_chain = true},
             PERF_RECORD_MISC_KERNEL);
  const auto done = unwound(made.file());
  CHECK(chain_of(done, 0) == chain{"?+0xffffffff81000000/1", "?+0xffffffff8100001f/1",
                                   "/bin/x+0x10/0", "/bin/x+0x3f/0"});
}

TEST_CASE(
    "the unwound chain replaces the kernel's user chain unless it is incomplete and shorter") {
  capture_builder made(order::little, {stack_event(PERF_SAMPLE_CALLCHAIN)});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  const std::string whole = stack_of({code + 0x40, code + 0x50});
  const std::vector<std::uint64_t> addresses{PERF_CONTEXT_USER, code + 0x10, code + 0x30,
                                             code + 0x31, code + 0x32};
  stack_sample sample{
      .ip = code + 0x10, .time = 5, .stack = whole, .chain = addresses, .has_chain = true};
  add_sample(made, sample);
  sample.time = 6;
  sample.stack = whole.substr(0, 24);  // the next frame lies behind the copy
  add_sample(made, sample);
  sample.time = 7;
  sample.chain.resize(2);
  add_sample(made, sample);
  const auto done = unwound(made.file());
  CHECK(chain_of(done, 0) == chain{"/bin/x+0x10/0", "/bin/x+0x3f/0", "/bin/x+0x4f/0"});
  CHECK(end_of(done, 0) == chain_end::complete);
  CHECK(depth_of(done, 1) == 4);
  CHECK(end_of(done, 1) == chain_end::kernel_given);
  CHECK(chain_of(done, 2) == chain{"/bin/x+0x10/0"});
  CHECK(end_of(done, 2) == chain_end::cut_by_copy);
}

TEST_CASE("equal frames that end for other reasons are different stacks") {
  capture_builder made(order::little, {stack_event()});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  add_sample(made, {.ip = code, .time = 2, .stack = std::string(8, '\0')});
  add_sample(made, {.ip = code, .time = 3, .abi = PERF_SAMPLE_REGS_ABI_32});
  add_sample(made, {.ip = code, .time = 4, .abi = PERF_SAMPLE_REGS_ABI_NONE});
  add_sample(made, {.ip = code, .time = 5, .stack = std::string(8, '\1')});
  const auto done = unwound(made.file());
  CHECK(end_of(done, 0) == chain_end::cut_by_copy);
  CHECK(end_of(done, 1) == chain_end::no_registers);
  CHECK(end_of(done, 2) == chain_end::kernel_given);
  CHECK(done.samples.stack[3] == done.samples.stack[0]);
  CHECK(done.stacks.end.size() == 3);
  CHECK(done.stacks.kind.size() == 1);
  for (std::size_t row = 0; row < 4; ++row) {
    CHECK(chain_of(done, row) == chain{"/bin/x+0x0/0"});
  }
}

TEST_CASE("an object's table is requested once, when a stack first needs it") {
  capture_builder made(order::little, {stack_event()});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1).mmap2(1, code + 0x1000, 0x1000, 0, "/bin/y", 1);
  made.mmap2(1, code + 0x2000, 0x1000, 0, "//anon", 1).mmap2(1, code + 0x3000, 0x1000, 0, "/z", 1);
  for (std::uint64_t time = 2; time < 9; ++time) {
    add_sample(made, {.ip = code + time,
                      .time = time,
                      .stack = stack_of({code + 0x1010, code + 0x2010, code + 0x10})});
  }
  auto options = without_tables();
  std::vector<std::string> requested;
  options.unwind_table = [&requested](const object& mapped) {
    requested.push_back(mapped.path);
    return nullptr;
  };
  CHECK(depth_of(unwound(made.file(), options), 0) == 4);
  CHECK(requested == chain{"/bin/x", "/bin/y"});
  options.unwind_table = [](const object&) -> const stallscope::unwind::table* {
    throw std::domain_error("no table today");
  };
  CHECK_THROWS_WITH_AS(unwound(made.file(), options), "no table today", std::domain_error);
}

TEST_CASE("frames are unwound with the table of the file that is mapped at their time") {
  // One function without frame pointer or locals, and the outermost one, whose caller is undefined.
  const auto common = elf_builder::eh_common();
  const auto back = static_cast<std::uint32_t>(common.size() + 4);
  const auto plain = elf_builder::eh_function(back, elf_builder::code, 0x100, {});
  const auto outermost = elf_builder::eh_function(back + static_cast<std::uint32_t>(plain.size()),
                                                  elf_builder::code + 0x100, 0x100, {0x07, 16});
  const auto table = stallscope::unwind::table::compile(elf_builder::build(
      {{".eh_frame", elf_builder::writer().raw(common).raw(plain).raw(outermost).made()}}));
  REQUIRE(table.rows() > 0);
  // Mapped away from where it was linked to, its first page left out; and later another file.
  constexpr std::uint64_t place = 0x7f00'0000'0000;
  constexpr std::uint64_t function = place + elf_builder::code - elf_builder::load_address;
  capture_builder made(order::little, {stack_event()});
  made.mmap2(1, place + 0x1000, elf_builder::load_bytes - 0x1000, 0x1000, "/lib/known", 1);
  const std::string stack = wire(order::little).u64(function + 0x20).u64(function + 0x120).bytes();
  add_sample(made, {.ip = function + 4, .time = 2, .stack = stack});
  made.mmap2(1, place + 0x1000, elf_builder::load_bytes - 0x1000, 0x1000, "/lib/unknown", 3);
  add_sample(made, {.ip = function + 4, .time = 4, .stack = stack});
  auto options = without_tables();
  options.unwind_table = [&table](const object& mapped) {
    return mapped.path == "/lib/known" ? &table : nullptr;
  };
  const auto done = unwound(made.file(), options);
  CHECK(chain_of(done, 0) ==
        chain{"/lib/known+0x10004/0", "/lib/known+0x1001f/0", "/lib/known+0x1011f/0"});
  CHECK(end_of(done, 0) == chain_end::complete);
  CHECK(frame_text(done, 1, 0) == "/lib/unknown+0x10004/0");
  CHECK(end_of(done, 1) != chain_end::complete);
}

TEST_CASE("a data mapping is not code and hides earlier mappings") {
  capture_builder made(order::little, {stack_event()});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1);
  wire data = made.body();
  data.u32(1).u32(1).u64(code).u64(0x1000).u64(0).text("/bin/data").u32(0).u32(0).u64(2);
  made.record(PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, data);
  add_sample(made, {.ip = code, .time = 3, .stack = stack_of({code + 0x10})});
  CHECK(end_of(unwound(made.file()), 0) == chain_end::unmapped);
}

TEST_CASE(
    "the architecture comes from the file or the register mask, and other machines are not "
    "unwound") {
  using stallscope::capture::architecture_of;
  using stallscope::unwind::architecture;
  stallscope::capture::memory_budget budget(1 << 20);
  stallscope::capture::capture_content read(budget);
  read.attributes.resize(1);
  read.attributes[0].registers_user = 0xff0fff;
  CHECK(architecture_of(read) == architecture::x86_64);
  read.attributes[0].registers_user = 0x1ffffffff;
  CHECK(architecture_of(read) == architecture::arm64);
  read.host.architecture = "x86_64";
  CHECK(architecture_of(read) == architecture::x86_64);
  read.host.architecture = "aarch64";
  CHECK(architecture_of(read) == architecture::arm64);
  read.host.architecture = "riscv64";
  CHECK_FALSE(architecture_of(read));
  read.host.architecture.clear();
  read.big_endian = true;
  CHECK_FALSE(architecture_of(read));
}

TEST_CASE("code of an interpreter is a frame with its number, other code has none") {
  auto options = without_tables();
  auto& interpreter = options.interpreters[1];
  // The frame pointer stands for the register of the loop's core.
  interpreter.loop = {.begin = code + 0x30, .end = code + 0x50, .counter = 6};
  interpreter.codes = {{.begin = 0x10, .end = 0x20, .number = 4},
                       {.begin = stack_address, .end = stack_address + 16, .number = 9}};
  const std::string file = two_stacks().file();
  const auto read = unwound(file, options);
  CHECK(chain_of(read, 0) ==
        chain{"/opt/old+0x2020/0", "?+0x9/7", "/opt/old+0x203f/0", "/opt/old+0x207f/0"});
  interpreter.codes.back().end = stack_address + 15;
  CHECK(chain_of(unwound(file, options), 0).size() == 3);
  interpreter.codes.clear();
  CHECK(chain_of(unwound(file, options), 0).size() == 3);
}
