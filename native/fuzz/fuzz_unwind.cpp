// Any bytes, as an ELF file, as sections of call frame information or as a kept table, end in a
// table that is safe to walk with, or in one table_error; and every walk ends. The first byte
// chooses what the bytes are; a file and its debug file are read from descriptors.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/descriptor.hpp"
#include "elf_builder.hpp"
#include "require.hpp"
#include "unwind/table_content.hpp"
#include "unwind/unwinder.hpp"

namespace {

using namespace stallscope::unwind;
using stallscope::descriptor;

constexpr std::size_t stack_bytes = 512;
constexpr std::uint64_t stack_address = 0x7fff'0000;
constexpr std::size_t walks = 48;
constexpr std::size_t max_frames = 64;

class one_file : public code_map {
 public:
  explicit one_file(const table* known) {
    // All that a row can name is mapped, address for address, and something without a table.
    with_table_ = {.start = 0, .end = std::uint64_t{1} << 46U, .file_offset = 0, .table = known};
    without_ = {.start = with_table_.end, .end = std::uint64_t{1} << 47U};
  }
  const mapped_code* find(std::uint64_t address) override {
    if (address < with_table_.end) return &with_table_;
    return address < without_.end ? &without_ : nullptr;
  }

 private:
  mapped_code with_table_;
  mapped_code without_;
};

// A file in memory with these bytes.
descriptor file_of(std::span<const std::byte> content) {
  descriptor file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(::write(file.get(), content.data(), content.size()) ==
          static_cast<ssize_t>(content.size()));
  return file;
}

// A table of a file and its debug file: the input, cut in two, as their sections or as they are.
table of_files(std::uint8_t kind, std::span<const std::byte> input) {
  const auto arch = (kind & 8U) != 0 ? architecture::arm64 : architecture::x86_64;
  const std::size_t middle =
      input.empty() ? 0 : std::to_integer<std::size_t>(input[0]) * input.size() / 256;
  const elf_builder::bytes first(input.begin(),
                                 input.begin() + static_cast<std::ptrdiff_t>(middle));
  const elf_builder::bytes second(input.begin() + static_cast<std::ptrdiff_t>(middle), input.end());
  const descriptor file = file_of(
      (kind & 1U) != 0 ? first : elf_builder::build({{".eh_frame", first}}, {.arch = arch}));
  const std::uint64_t flags = (kind & 4U) != 0 ? 0x800 : 0;
  const descriptor debug_file = file_of(
      (kind & 2U) != 0 ? second
                       : elf_builder::build({{".debug_frame", second, flags}}, {.arch = arch}));
  return table::compile(file.get(), debug_file.get());
}

// A table of the bytes behind the first, which says what they are.
std::optional<table> read(std::uint8_t kind, std::span<const std::byte> input) {
  const auto arch = (kind & 8U) != 0 ? architecture::arm64 : architecture::x86_64;
  const elf_builder::bytes copy(input.begin(), input.end());
  try {
    if ((kind & 0x10U) != 0) return of_files(kind, input);
    switch (kind & 7U) {
      case 0:
        return table::compile(input);
      case 1:
        return table::from_bytes(input);
      case 2:
        return table::compile(elf_builder::build({{".debug_frame", copy}}, {.arch = arch}));
      case 3:
        return table::compile(elf_builder::build({{".plt", copy}}, {.arch = arch}));
      case 4:
        return table::compile(elf_builder::build(
            {{".eh_frame_hdr", copy}},
            {.arch = arch, .section_headers = false, .frame_header_section = 0}));
      case 5:
        return table::compile(elf_builder::build({{".debug_frame", copy, 0x800}}, {.arch = arch}));
      default:
        return table::compile(elf_builder::build({{".eh_frame", copy}}, {.arch = arch}));
    }
  } catch (const table_error&) {
    return std::nullopt;
  } catch (const std::system_error&) {
    require((kind & 0x10U) != 0);
    return std::nullopt;
  }
}

void walk_all(const table& known, std::span<const std::byte> stack) {
  const auto& content = table_reader::of(known);
  one_file code(&known);
  unwinder walker(known.arch());
  std::vector<frame> frames;
  for (std::size_t row = 0; row < std::min(walks, content.starts.size()); ++row) {
    registers first;
    for (unsigned number = 0; number < registers::count; ++number) {
      std::uint64_t value = stack_address + 8 * std::uint64_t{number};
      if (stack.size() >= 8 * (number + 1)) std::memcpy(&value, &stack[number * 8], sizeof value);
      first.set(number, value);
    }
    const bool is_x86_64 = known.arch() == architecture::x86_64;
    first.set(is_x86_64 ? x86_64::rsp : arm64::sp, stack_address);
    first.set(is_x86_64 ? x86_64::rbp : arm64::fp, stack_address + 64);
    first.set(is_x86_64 ? x86_64::rip : arm64::pc, content.first_address + content.starts[row]);
    frames.clear();
    const chain_end end =
        walker.walk(first, {.address = stack_address, .bytes = stack}, code, frames, max_frames);
    require(!frames.empty() && frames.size() <= max_frames);
    require(end != chain_end::kernel_given && end <= chain_end::no_registers);
    require((end == chain_end::too_deep) <= (frames.size() == max_frames));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  const auto known = read(data[0], input);
  if (!known) return 0;
  const double share = known->frame_pointer_share();
  require(share >= 0 && share <= 1);
  walk_all(*known, input.last(std::min(input.size(), stack_bytes)));
  const auto kept = known->to_bytes();
  require(table::from_bytes(kept).to_bytes() == kept);
  // The bytes of a whole file give the same table as its descriptor.
  if ((data[0] & 0x17U) == 0) {
    require(table::compile(file_of(input).get()).to_bytes() == kept);
  }
  return 0;
}
