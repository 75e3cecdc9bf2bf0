// Tests the rules that call frame instructions produce, with hand-assembled bytes.
#include <doctest/doctest.h>

#include "elf_builder.hpp"
#include "rule_text.hpp"

namespace unwind = stallscope::unwind;
using elf_builder::code;
using elf_builder::eh_frame;
using unwind::rule_at;
using unwind::table;

namespace {

table of(const elf_builder::bytes& frame,
         unwind::architecture arch = unwind::architecture::x86_64) {
  return table::compile(elf_builder::build({{".eh_frame", frame}}, {.arch = arch}));
}

// Returns the rule at offset `at` of the function.
std::string after(std::initializer_list<unsigned> instructions, std::uint64_t at = 1) {
  const table made = of(eh_frame(instructions));
  CHECK(made.bad_entries() == 0);
  return rule_at(made, code + at);
}

const elf_builder::entry_options arm64_entry{
    .common = {0x0c, 31, 0}, .augmentation = "zR", .return_column = 30, .code_alignment = 4};

}  // namespace

TEST_CASE("a function without instructions has the rule of its CIE") {
  const table made = of(eh_frame({}));
  CHECK(rule_at(made, code - 1).empty());
  CHECK(rule_at(made, code) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 0xff) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 0x100).empty());
  CHECK(made.rows() == 2);
}

TEST_CASE("locations advance by every width, scaled by the code alignment") {
  const table made = of(eh_frame({0x41, 0x0e, 16,                        // 1
                                  0x02, 0x10, 0x0e, 24,                  // 0x11
                                  0x03, 0x20, 0x00, 0x0e, 32,            // 0x31
                                  0x04, 0x40, 0,    0,    0,  0x0e, 40,  // 0x71
                                  0x1d, 1,    0,    0,    0,  0,    0,  0, 0, 0x0e, 48}));
  CHECK(rule_at(made, code + 0x00) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 0x01) == "rsp+16 ra=c-8");
  CHECK(rule_at(made, code + 0x10) == "rsp+16 ra=c-8");
  CHECK(rule_at(made, code + 0x11) == "rsp+24 ra=c-8");
  CHECK(rule_at(made, code + 0x31) == "rsp+32 ra=c-8");
  CHECK(rule_at(made, code + 0x71) == "rsp+40 ra=c-8");
  CHECK(rule_at(made, code + 0x72) == "rsp+48 ra=c-8");
  const table wide =
      of(eh_frame({0x42, 0x0e, 32, 0x9d, 4, 0x9e, 3}, arm64_entry), unwind::architecture::arm64);
  CHECK(rule_at(wide, code + 7) == "sp+0");
  CHECK(rule_at(wide, code + 8) == "sp+32 x29=c-32 ra=c-24");
}

TEST_CASE("set_loc sets an absolute address") {
  const auto target = code + 0x40;
  const auto byte = [&](unsigned n) { return static_cast<unsigned>(target >> (8 * n)) & 0xffU; };
  const table made = of(eh_frame({0x01, byte(0), byte(1), byte(2), byte(3), 0, 0, 0, 0, 0x0e, 16}));
  CHECK(rule_at(made, code + 0x3f) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 0x40) == "rsp+16 ra=c-8");
}

TEST_CASE("every CFA instruction changes the CFA") {
  CHECK(after({0x41, 0x0c, 6, 16}) == "rbp+16 ra=c-8");     // def_cfa
  CHECK(after({0x41, 0x0d, 6}) == "rbp+8 ra=c-8");          // def_cfa_register
  CHECK(after({0x41, 0x0e, 0x80, 1}) == "rsp+128 ra=c-8");  // def_cfa_offset
  CHECK(after({0x41, 0x12, 3, 0x7e}) == "rbx+16 ra=c-8");   // def_cfa_sf
  CHECK(after({0x41, 0x13, 0x7d}) == "rsp+24 ra=c-8");      // def_cfa_offset_sf
  CHECK(after({0x41, 0x0f, 2, 0x77, 8}) == "exp ra=c-8");   // def_cfa_expression
}

TEST_CASE("every register instruction changes its register") {
  CHECK(after({0x41, 0x86, 2}) == "rsp+8 rbp=c-16 ra=c-8");               // offset
  CHECK(after({0x41, 0x05, 6, 2}) == "rsp+8 rbp=c-16 ra=c-8");            // offset_extended
  CHECK(after({0x41, 0x11, 6, 0x7e}) == "rsp+8 rbp=c+16 ra=c-8");         // offset_extended_sf
  CHECK(after({0x41, 0x2f, 6, 2}) == "rsp+8 rbp=c+16 ra=c-8");            // GNU_negative_offset
  CHECK(after({0x41, 0x14, 3, 2}) == "rsp+8 rbx=v-16 ra=c-8");            // val_offset
  CHECK(after({0x41, 0x15, 3, 0x7e}) == "rsp+8 rbx=v+16 ra=c-8");         // val_offset_sf
  CHECK(after({0x41, 0x09, 6, 0}) == "rsp+8 rbp=rax ra=c-8");             // register
  CHECK(after({0x41, 0x10, 12, 2, 0x77, 8}) == "rsp+8 r12=exp ra=c-8");   // expression
  CHECK(after({0x41, 0x16, 12, 2, 0x77, 8}) == "rsp+8 r12=vexp ra=c-8");  // val_expression
  CHECK(after({0x41, 0x07, 16}) == "rsp+8 ra=u");                         // undefined
  CHECK(after({0x86, 2, 0x41, 0x08, 6}) == "rsp+8 ra=c-8");               // same_value
}

TEST_CASE("restore returns to the rule of the CIE") {
  CHECK(after({0x07, 16, 0x86, 2, 0x41, 0xd0, 0xc6}) == "rsp+8 ra=c-8");
  CHECK(after({0x07, 16, 0x41, 0x06, 16}) == "rsp+8 ra=c-8");
}

TEST_CASE("remember and restore include the CFA and nest") {
  const table made = of(eh_frame({0x41, 0x0e, 16, 0x86, 2, 0x0a, 0x41, 0x0c, 6, 16, 0x0a,  //
                                  0x41, 0x0e, 64, 0x41, 0x0b, 0x41, 0x0b}));
  CHECK(rule_at(made, code + 2) == "rbp+16 rbp=c-16 ra=c-8");
  CHECK(rule_at(made, code + 3) == "rbp+64 rbp=c-16 ra=c-8");
  CHECK(rule_at(made, code + 4) == "rbp+16 rbp=c-16 ra=c-8");
  CHECK(rule_at(made, code + 5) == "rsp+16 rbp=c-16 ra=c-8");
}

TEST_CASE("instructions without effect on rules, and untracked registers, are skipped") {
  CHECK(after({0x41, 0x2e, 0x40, 0x2d, 0x2c, 0x00, 0x0e, 16}) == "rsp+16 ra=c-8");
  CHECK(after({0x41, 0x91, 4, 0x0e, 16}) == "rsp+16 ra=c-8");  // xmm0
  CHECK(after({0x41, 0x05, 0xff, 1, 4, 0x0e, 16}) == "rsp+16 ra=c-8");
}

TEST_CASE("invalid entries are dropped with all their rows and counted") {
  const auto bad = [](std::initializer_list<unsigned> instructions) {
    const table made = of(eh_frame(instructions));
    return made.bad_entries() == 1 && made.rows() == 0;
  };
  CHECK(bad({0x41, 0x0e, 16, 0x41, 0x3f}));                         // no such instruction
  CHECK(bad({0x41, 0x0b}));                                         // nothing remembered
  CHECK(bad({0x41, 0x0f, 0x7f, 0x77, 8}));                          // longer than the entry
  CHECK(bad({0x41, 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}));  // no frame is so large
  CHECK(bad({0x41, 0x0d, 40}));                                     // CFA by no register we know
  CHECK(bad({0x0f, 2, 0x77, 8, 0x41, 0x0d, 6}));  // an expression has no offset to keep
  CHECK(bad({0x0f, 2, 0x77, 8, 0x41, 0x0e, 8}));
  CHECK(bad({0x44, 0x01, 0, 0, 0, 0, 0, 0, 0, 0}));  // backwards
}

TEST_CASE("a CIE that advances the location is invalid, and so are its functions") {
  const auto common = elf_builder::eh_common();
  const auto sound = elf_builder::eh_function(static_cast<std::uint32_t>(common.size() + 4), code,
                                              0x100, {0x0e, 16});
  const elf_builder::entry_options moving{.common = {0x0c, 7, 8, 0x41, 0x90, 1}};
  const table made = of(
      elf_builder::writer().raw(common).raw(sound).raw(eh_frame({}, moving, code + 0x200)).made());
  CHECK(made.bad_entries() == 1);
  CHECK(rule_at(made, code) == "rsp+16 ra=c-8");
  CHECK(rule_at(made, code + 0x200).empty());
  CHECK(made.rows() == 2);
}

TEST_CASE("a million remembered states make an entry invalid") {
  elf_builder::bytes instructions(1'000'000, std::byte{0x0a});
  const auto common = elf_builder::eh_common();
  elf_builder::writer body;
  body.put(static_cast<std::uint32_t>(common.size() + 4))
      .put(code)
      .put(std::uint64_t{16})
      .list({0});
  body.raw(instructions);
  const table made = of(elf_builder::writer()
                            .raw(common)
                            .put(static_cast<std::uint32_t>(body.size()))
                            .raw(body.made())
                            .made());
  CHECK(made.bad_entries() == 1);
  CHECK(made.rows() == 0);
}

TEST_CASE("equal rules are stored once, and equal neighbours share a row") {
  const table made = of(eh_frame({0x41, 0x0e, 16, 0x41, 0x0e, 8, 0x41, 0x0e, 16, 0x41, 0x0e, 16}));
  CHECK(made.rows() == 5);  // the last says that nothing is known
  CHECK(unwind::table_reader::of(made).rules.size() == 3);
}

TEST_CASE("the frame pointer share excludes the first rows of functions") {
  // push %rbp; mov %rsp,%rbp ... pop %rbp
  CHECK(of(eh_frame({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6})).frame_pointer_share() ==
        doctest::Approx(252.0 / 255));
  CHECK(of(eh_frame({0x41, 0x0e, 16})).frame_pointer_share() == 0);
  CHECK(of(eh_frame({})).frame_pointer_share() == 0);
  CHECK(of(eh_frame({0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3}, arm64_entry), unwind::architecture::arm64)
            .frame_pointer_share() == 1);
}

TEST_CASE("entries with unlimited rules are invalid and use bounded memory") {
  // Every three bytes define a new rule: CFA rsp+n with increasing n.
  const auto common = elf_builder::eh_common();
  elf_builder::writer body;
  body.put(static_cast<std::uint32_t>(common.size() + 4)).put(code).put(std::uint64_t{0x80000});
  body.list({0});
  for (unsigned count = 0; count < 300'000; ++count) {
    body.list({0x41, 0x0e, 0x80U | (count & 0x7fU), 0x80U | (count >> 7U & 0x7fU), count >> 14U});
  }
  const table made = of(elf_builder::writer()
                            .raw(common)
                            .put(static_cast<std::uint32_t>(body.size()))
                            .raw(body.made())
                            .made());
  CHECK(made.bad_entries() == 1);
  CHECK(made.rows() == 0);
}

TEST_CASE("an entry executed for thousands of gaps exhausts the instruction limit") {
  // An entry of .debug_frame with many instructions, split into ranges by thousands of .eh_frame
  // entries.
  const auto common = elf_builder::eh_common();
  elf_builder::writer frame;
  frame.raw(common);
  for (std::uint64_t piece = 0; piece < 4000; ++piece) {
    const auto back = static_cast<std::uint32_t>(frame.size() + 4);
    frame.raw(elf_builder::eh_function(back, code + 16 * piece, 8, {}));
  }
  elf_builder::writer debug;
  debug.put(std::uint32_t{16}).put(UINT32_MAX).list({3, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0});
  const elf_builder::bytes nops(100'000);
  debug.put(static_cast<std::uint32_t>(20 + nops.size())).put(std::uint32_t{0});
  debug.put(code).put(std::uint64_t{64'000}).raw(nops);
  const table made = table::compile(
      elf_builder::build({{".eh_frame", frame.made()}, {".debug_frame", debug.made(), 0}}));
  CHECK(made.bad_entries() > 3900);
  CHECK(rule_at(made, code + 12) == "rsp+8 ra=c-8");
}
