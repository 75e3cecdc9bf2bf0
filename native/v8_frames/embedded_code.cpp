#include "v8_frames/embedded_code.hpp"

#include <array>
#include <string_view>

namespace stallscope::v8_frames {
namespace {

using process_reading::value_at;

constexpr std::string_view code_function = "_ZN2v88internal23DefaultEmbeddedBlobCodeEv";
constexpr std::string_view size_function = "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv";
constexpr std::uint64_t max_size = std::uint64_t{16} << 20U;  // 1.3 to 1.9 MiB in Node 18 to 26
constexpr std::size_t function_bytes = 20;

bool has(std::span<const std::byte> code, std::size_t at, std::initializer_list<unsigned> bytes) {
  for (const unsigned byte : bytes) {
    if (at >= code.size() || std::to_integer<unsigned>(code[at]) != byte) return false;
    ++at;
  }
  return true;
}

// The address that an instruction of this length names relative to its end.
std::uint64_t relative(std::span<const std::byte> code, std::uint64_t address, std::size_t length) {
  return address + length +
         static_cast<std::uint64_t>(std::int64_t{value_at<std::int32_t>(code, length - 4)});
}

std::optional<std::uint64_t> result_of(std::string_view function,
                                       const process_reading::elf_file& file,
                                       const process_reading::dynamic_symbols& symbols,
                                       const process_reading::process_memory& memory,
                                       std::uint64_t bias, bool is_address) {
  const auto address = symbols.value_of(function);
  const auto offset = address ? file.offset_of(*address, function_bytes) : std::nullopt;
  std::array<std::byte, function_bytes> code{};
  if (!offset || !file.read(*offset, code)) return std::nullopt;
  const auto returned = decode_returned_value(code, *address);
  if (!returned) return std::nullopt;
  if (returned->loads == 0) return returned->value;
  std::uint64_t variable = returned->value + bias;
  if (returned->loads > 1 && !memory.read_value(variable, variable)) return std::nullopt;
  if (is_address) {
    std::uint64_t value = 0;
    if (!memory.read_value(variable, value)) return std::nullopt;
    return value - bias;
  }
  std::uint32_t value = 0;
  if (!memory.read_value(variable, value)) return std::nullopt;
  return value;
}

// adrp x0, page; add or ldr x0, [x0, n]; perhaps ldr x0, [x0]; ret.
std::optional<returned_value> decode_arm64(std::span<const std::byte> code, std::uint64_t address) {
  constexpr std::uint32_t ret = 0xd65f03c0;
  constexpr std::uint32_t landing_pad = 0xd503245f;  // bti c
  constexpr std::uint32_t load_x0 = 0xf9400000;      // ldr x0, [x0]
  constexpr std::uint32_t load_w0 = 0xb9400000;
  const auto instruction = [&](std::size_t index) -> std::uint32_t {
    return 4 * index + 4 <= code.size() ? value_at<std::uint32_t>(code, 4 * index) : 0;
  };
  if (instruction(0) == landing_pad) {
    code = code.subspan(4);
    address += 4;
  }
  const auto first = instruction(0);
  if ((first & 0x9f00001fU) != 0x90000000U) return std::nullopt;
  const bool from_table = instruction(2) == load_x0 || instruction(2) == load_w0;
  if (instruction(from_table ? 3 : 2) != ret) return std::nullopt;
  // 21 bits of pages, the lowest two in bits 29 and 30.
  const std::uint64_t pages = (first >> 3U & 0x1ffffcU) | (first >> 29U & 3U);
  const auto distance = static_cast<std::int64_t>(pages << 43U) >> 31U;
  const auto page = (address & ~std::uint64_t{0xfff}) + static_cast<std::uint64_t>(distance);
  const std::uint64_t number = instruction(1) >> 10U & 0xfffU;
  constexpr std::uint32_t add_x0 = 0x91000000;
  switch (instruction(1) & 0xffc003ffU) {
    case add_x0:
      return returned_value{page + number, from_table ? 1U : 0U};
    case load_x0:
      return returned_value{page + 8 * number, from_table ? 2U : 1U};
    case load_w0:
      return from_table ? std::nullopt : std::optional{returned_value{page + 4 * number, 1}};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<returned_value> decode_returned_value(std::span<const std::byte> code,
                                                    std::uint64_t address) {
  if (has(code, 0, {0xf3, 0x0f, 0x1e, 0xfa})) {  // endbr64
    code = code.subspan(4);
    address += 4;
  }
  constexpr unsigned ret = 0xc3;
  if (has(code, 0, {0x48, 0x8d, 0x05})) {  // lea rax, [rip+n]
    const auto value = relative(code, address, 7);
    if (has(code, 7, {ret})) return returned_value{value, 0};
    if (has(code, 7, {0x48, 0x8b, 0x00, ret}) || has(code, 7, {0x8b, 0x00, ret}))
      return returned_value{value, 1};
  }
  if (has(code, 0, {0x48, 0x8b, 0x05}) && has(code, 7, {ret}))  // mov rax, [rip+n]
    return returned_value{relative(code, address, 7), 1};
  if (has(code, 0, {0x8b, 0x05}) && has(code, 6, {ret}))  // mov eax, [rip+n]
    return returned_value{relative(code, address, 6), 1};
  if (has(code, 0, {0xb8}) && has(code, 5, {ret}))  // mov eax, n
    return returned_value{value_at<std::uint32_t>(code, 1), 0};
  return decode_arm64(code, address);
}

std::optional<embedded_code> find_embedded_code(const process_reading::elf_file& file,
                                                const process_reading::dynamic_symbols& symbols,
                                                const process_reading::process_memory& memory,
                                                std::uint64_t bias) {
  const auto begin = result_of(code_function, file, symbols, memory, bias, true);
  const auto size = result_of(size_function, file, symbols, memory, bias, false);
  if (!begin || !size || *size == 0 || *size > max_size) return std::nullopt;
  const auto offset = file.offset_of(*begin, *size);
  if (!offset) return std::nullopt;
  return embedded_code{*offset, *offset + *size};
}

}  // namespace stallscope::v8_frames
