// Tests the sections that contain call frame information, and the encodings of addresses.
#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>

#include "elf_builder.hpp"
#include "rule_text.hpp"

namespace unwind = stallscope::unwind;
using elf_builder::build;
using elf_builder::bytes;
using elf_builder::code;
using elf_builder::eh_frame;
using elf_builder::first_section;
using elf_builder::writer;
using unwind::rule_at;
using unwind::table;
using unwind::table_error;

namespace {

// Returns an entry of .debug_frame with its length and identifiers of 4 or 8 bytes.
bytes debug_entry(bool wide, std::uint64_t identifier, const bytes& body) {
  writer made;
  if (wide) {
    made.put(UINT32_MAX).put(std::uint64_t{body.size() + 8}).put(identifier);
  } else {
    made.put(static_cast<std::uint32_t>(body.size() + 4))
        .put(static_cast<std::uint32_t>(identifier));
  }
  return made.raw(body).made();
}

// Returns a function with the CFA rsp+`offset`.
bytes debug_frame(unsigned version, bool wide = false, std::uint64_t start = code,
                  unsigned offset = 32) {
  writer common;
  common.list({version}).text("");
  if (version == 4) common.list({8, 0});
  common.list({1, 0x78, 16, 0x0c, 7, offset, 0x90, 1});
  const auto function = writer().put(start).put(std::uint64_t{0x100}).made();
  return writer()
      .raw(debug_entry(wide, UINT64_MAX, common.made()))
      .raw(debug_entry(wide, 0, function))
      .made();
}

// Returns .eh_frame with a CIE of this encoding; `address` writes the addresses.
bytes encoded_frame(unsigned encoding, const bytes& address, const bytes& size,
                    const std::string& augmentation = "zR", const bytes& before = {}) {
  writer common;
  common.put(std::uint32_t{0}).list({1}).text(augmentation).list({1, 0x78, 16});
  common.list({static_cast<unsigned>(before.size()) + 1}).raw(before).list({encoding});
  common.list({0x0c, 7, 8, 0x90, 1});
  const auto length = static_cast<std::uint32_t>(common.size());
  writer function;
  function.put(length + 8).raw(address).raw(size).list({0});
  return writer()
      .put(length)
      .raw(common.made())
      .put(static_cast<std::uint32_t>(function.size()))
      .raw(function.made())
      .made();
}

// The position of the start address in encoded_frame.
std::uint64_t address_place(const std::string& augmentation = "zR", std::size_t before = 0) {
  const std::size_t common = 4 + 1 + augmentation.size() + 1 + 3 + 1 + before + 1 + 5;
  return first_section + 4 + common + 8;
}

class temporary_file {
 public:
  explicit temporary_file(const bytes& content) {
    char path[] = "/tmp/stallscope-unwind-XXXXXX";
    descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    unlink(path);
    REQUIRE(write(descriptor, content.data(), content.size()) ==
            static_cast<ssize_t>(content.size()));
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { close(descriptor); }
  int descriptor = -1;
};

}  // namespace

TEST_CASE("every version and width of .debug_frame is parsed") {
  for (const unsigned version : {1U, 3U, 4U}) {
    for (const bool wide : {false, true}) {
      CAPTURE(version);
      CAPTURE(wide);
      const table made = table::compile(build({{".debug_frame", debug_frame(version, wide), 0}}));
      CHECK(rule_at(made, code) == "rsp+32 ra=c-8");
      CHECK(made.bad_entries() == 0);
    }
  }
  CHECK(table::compile(build({{".debug_frame", debug_frame(2), 0}})).bad_entries() == 2);
}

TEST_CASE("a compressed .debug_frame is decompressed, and ignored if damaged") {
  const bytes frame = debug_frame(4);
  const Elf64_Chdr header{
      .ch_type = ELFCOMPRESS_ZLIB, .ch_reserved = 0, .ch_size = frame.size(), .ch_addralign = 8};
  bytes packed(compressBound(frame.size()));
  uLongf size = packed.size();
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                   reinterpret_cast<const Bytef*>(frame.data()), frame.size()) == Z_OK);
  packed.resize(size);
  bytes section = writer().raw(std::as_bytes(std::span(&header, 1))).raw(packed).made();
  CHECK(rule_at(table::compile(build({{".debug_frame", section, SHF_COMPRESSED}})), code) ==
        "rsp+32 ra=c-8");
  section[sizeof header + 4] ^= std::byte{0x55};
  CHECK(table::compile(build({{".debug_frame", section, SHF_COMPRESSED}})).rows() == 0);
  section[8] = std::byte{0xff};  // a size that these bytes cannot have
  section[11] = std::byte{0x3f};
  CHECK(table::compile(build({{".debug_frame", section, SHF_COMPRESSED}})).rows() == 0);
}

TEST_CASE("entries of a debug file fill the gaps of .eh_frame") {
  const temporary_file program(build({{".eh_frame", eh_frame({}, {}, code + 0x80, 0x40)}}));
  const temporary_file debug(build({{".debug_frame", debug_frame(4), 0}}));
  const table made = table::compile(program.descriptor, debug.descriptor);
  CHECK(rule_at(made, code) == "rsp+32 ra=c-8");
  CHECK(rule_at(made, code + 0x7f) == "rsp+32 ra=c-8");
  CHECK(rule_at(made, code + 0x80) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 0xc0) == "rsp+32 ra=c-8");
  CHECK(rule_at(made, code + 0x100).empty());
  CHECK(rule_at(table::compile(program.descriptor), code).empty());
  const temporary_file broken(writer().text("no ELF file").made());
  const table alone = table::compile(program.descriptor, broken.descriptor);
  CHECK(rule_at(alone, code + 0x80) == "rsp+8 ra=c-8");
  CHECK(alone.bad_entries() == 1);
}

TEST_CASE("every address encoding is decoded") {
  const auto relative = static_cast<std::int32_t>(code - address_place());
  const auto size4 = writer().put(std::uint32_t{0x100}).made();
  const auto check = [](const bytes& frame, const bytes& got = {}) {
    const table made = table::compile(build({{".eh_frame", frame}, {".got", got}}));
    CHECK(made.bad_entries() == 0);
    CHECK(rule_at(made, code) == "rsp+8 ra=c-8");
    CHECK(rule_at(made, code + 0xff) == "rsp+8 ra=c-8");
    CHECK(rule_at(made, code + 0x100).empty());
  };
  check(encoded_frame(0x1b, writer().put(relative).made(), size4));  // pcrel, sdata4
  check(encoded_frame(0x03, writer().put(static_cast<std::uint32_t>(code)).made(), size4));
  check(encoded_frame(0x0c, writer().put(code).made(), writer().put(std::uint64_t{0x100}).made()));
  check(encoded_frame(0x01, writer().list({0x80, 0x80, 0x84, 0x02}).made(),  // uleb128
                      writer().list({0x80, 2}).made()));
  // .got is the second section, after the padded first.
  const auto got_at = [](const bytes& frame) {
    return first_section + (frame.size() + 15) / 16 * 16;
  };
  bytes frame = encoded_frame(0x3b, writer().put(std::int32_t{0}).made(), size4);
  const auto from_got = static_cast<std::int32_t>(code - got_at(frame));
  check(encoded_frame(0x3b, writer().put(from_got).made(), size4));  // datarel
  const auto to_got = static_cast<std::int32_t>(got_at(frame) - address_place());
  check(encoded_frame(0x9b, writer().put(to_got).made(), size4),  // indirect
        writer().put(code).made());
}

TEST_CASE("augmentation letters are parsed in order") {
  const auto address = static_cast<std::int32_t>(code - address_place("zPLRSB", 10));
  // P with an 8-byte absolute routine, L, R; S and B have no data.
  const auto before = writer().list({0x00}).put(std::uint64_t{0x1234}).list({0x1b}).made();
  const auto frame = encoded_frame(0x1b, writer().put(address).made(),
                                   writer().put(std::uint32_t{0x100}).made(), "zPLRSB", before);
  const table made = table::compile(build({{".eh_frame", frame}}));
  CHECK(made.bad_entries() == 0);
  CHECK(rule_at(made, code) == "rsp+8 ra=c-8");
  const auto& content = unwind::table_reader::of(made);
  CHECK(content.rules.at(1).is_signal_frame == 1);
}

TEST_CASE("a file without section headers is read through PT_GNU_EH_FRAME") {
  const auto frame = eh_frame({0x41, 0x0e, 16});
  // The header is the first section of 16 bytes, followed by .eh_frame. Its search table is not
  // needed.
  const auto header =
      writer().list({1, 0x1b, 0xff, 0xff}).put(std::int32_t{12}).put(std::uint64_t{0}).made();
  const table made = table::compile(build({{".eh_frame_hdr", header}, {".eh_frame", frame}},
                                          {.section_headers = false, .frame_header_section = 0}));
  CHECK(rule_at(made, code) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, code + 1) == "rsp+16 ra=c-8");
}

TEST_CASE("in overlapping entries the later start applies, at equal starts the first entry") {
  const auto common = elf_builder::eh_common();
  auto back = static_cast<std::uint32_t>(common.size()) + 4;
  writer frame;
  frame.raw(common);
  const auto add = [&](std::uint64_t start, std::uint64_t size, unsigned offset) {
    const auto entry = elf_builder::eh_function(back, start, size, {0x0e, offset});
    frame.raw(entry);
    back += static_cast<std::uint32_t>(entry.size());
  };
  add(code, 0x100, 16);
  add(code + 0x40, 0x20, 24);
  add(code + 0x40, 0x80, 32);  // same start as the previous entry: ignored
  add(0, 0x100, 40);           // discarded by the linker
  add(code + 0x80, 0, 48);     // describes nothing
  const table made = table::compile(build({{".eh_frame", frame.made()}}));
  CHECK(made.bad_entries() == 0);
  CHECK(rule_at(made, code + 0x3f) == "rsp+16 ra=c-8");
  CHECK(rule_at(made, code + 0x40) == "rsp+24 ra=c-8");
  CHECK(rule_at(made, code + 0x5f) == "rsp+24 ra=c-8");
  CHECK(rule_at(made, code + 0x60).empty());
}

TEST_CASE("procedure linkage stubs without entries have rules from their instructions") {
  const auto lazy = writer()
                        .list({0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0})
                        .list({0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0})
                        .made();
  const table made = table::compile(build({{".plt", lazy}}));
  CHECK(rule_at(made, first_section) == "rsp+16 ra=c-8");  // entered after a push
  CHECK(rule_at(made, first_section + 6) == "rsp+24 ra=c-8");
  CHECK(rule_at(made, first_section + 16) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, first_section + 26) == "rsp+8 ra=c-8");
  CHECK(rule_at(made, first_section + 27) == "rsp+16 ra=c-8");
  const auto of_arm64 = writer().put(0xa9bf7bf0U).put(std::uint32_t{0}).raw(bytes(40)).made();
  const table other =
      table::compile(build({{".plt", of_arm64}}, {.arch = unwind::architecture::arm64}));
  CHECK(rule_at(other, first_section) == "sp+0");
  CHECK(rule_at(other, first_section + 4) == "sp+16 ra=c-8");
  CHECK(rule_at(other, first_section + 32) == "sp+0");
}

TEST_CASE("file offsets are converted to addresses") {
  const table made = table::compile(build({{".eh_frame", eh_frame({})}}));
  CHECK(made.address_of(0x10) == elf_builder::load_address + 0x10);
  CHECK_FALSE(made.address_of(elf_builder::load_bytes));
}

TEST_CASE("files other than programs and libraries of x86-64 and arm64 are rejected") {
  CHECK_THROWS_AS(table::compile(bytes{}), table_error);
  CHECK_THROWS_AS(table::compile(writer().text("#!/bin/sh").made()), table_error);
  const auto with = [](std::size_t at, unsigned value) {
    bytes file = build({{".eh_frame", eh_frame({})}});
    file[at] = static_cast<std::byte>(value);
    return file;
  };
  CHECK_THROWS_AS(table::compile(with(EI_CLASS, ELFCLASS32)), table_error);
  CHECK_THROWS_AS(table::compile(with(EI_DATA, ELFDATA2MSB)), table_error);
  CHECK_THROWS_AS(table::compile(with(16, ET_REL)), table_error);
  CHECK_THROWS_AS(table::compile(with(18, EM_386)), table_error);
  CHECK_THROWS_AS(table::compile(open("/", O_RDONLY | O_DIRECTORY)), table_error);
}

TEST_CASE("a file truncated anywhere is rejected or read partly, never past its end") {
  const bytes whole = build({{".eh_frame", eh_frame({0x41, 0x0e, 16})}, {".plt", bytes(32)}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      table::compile(std::span(whole).first(size));
    } catch (const table_error&) {
      continue;
    }
  }
}
