#include "hotspot_frames/forwarding.hpp"

#include <array>

#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

using process_reading::value_at;

constexpr std::size_t longest_forwarder = 32;
constexpr std::size_t largest_structure = 256;

enum class bytecode_role : std::uint8_t { other, load, call, end };

struct bytecode_form {
  bytecode_role role = bytecode_role::other;
  std::size_t bytes = 0;
};

// Opcodes of the class file (JVMS 6.5), and the forms of getfield to which the interpreter rewrites
// it (interpreter/bytecodes.hpp: _fast_agetfield to _fast_sgetfield).
bytecode_form form_of(unsigned opcode) {
  const auto within = [opcode](unsigned first, unsigned last) {
    return opcode >= first && opcode <= last;
  };
  if (within(0x01, 0x0f) || within(0x1a, 0x2d)) return {bytecode_role::load, 1};
  if (opcode == 0x10 || within(0x15, 0x19)) return {bytecode_role::load, 2};
  if (opcode == 0x11 || opcode == 0xb4 || opcode == 0xc0 || within(0xcb, 0xd2))
    return {bytecode_role::load, 3};
  if (opcode == 0xb7 || opcode == 0xb8) return {bytecode_role::call, 3};
  if (within(0xac, 0xb1)) return {bytecode_role::end, 1};
  return {};
}

}  // namespace

std::optional<std::uint16_t> forwarding_call(std::span<const std::byte> bytecodes) {
  std::optional<std::uint16_t> call;
  for (std::size_t at = 0; at < bytecodes.size();) {
    const auto form = form_of(static_cast<unsigned>(bytecodes[at]));
    if (form.role == bytecode_role::other || form.bytes > bytecodes.size() - at)
      return std::nullopt;
    if (form.role == bytecode_role::end) return call;
    if (form.role == bytecode_role::call) {
      if (call) return std::nullopt;
      call = value_at<std::uint16_t>(bytecodes, at + 1);  // in the order of the machine
    }
    at += form.bytes;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> forwarded_method(const process_memory& memory, const vm_layout& layout,
                                              std::uint64_t method) {
  const auto& fields = layout.method;
  const auto& calls = layout.calls;
  std::array<std::byte, largest_structure> constants{};
  std::uint64_t address = 0;
  if (calls.entry_bytes == 0 || fields.bytes > constants.size() || method % word != 0 ||
      !memory.read_value(method + fields.constants_of_method, address) ||
      !memory.read(address, std::span{constants}.first(static_cast<std::size_t>(fields.bytes))))
    return std::nullopt;
  const auto size = value_at<std::uint16_t>(constants, fields.code_size);
  std::array<std::byte, longest_forwarder> bytecodes{};
  if (size > bytecodes.size() ||
      !memory.read(address + fields.bytes, std::span{bytecodes}.first(size)))
    return std::nullopt;
  const auto call = forwarding_call(std::span{bytecodes}.first(size));
  std::uint64_t entries = 0;
  std::uint64_t callee = 0;
  if (!call ||
      !memory.read_value(value_at<std::uint64_t>(constants, fields.pool) + calls.cache_of_pool,
                         entries) ||
      (calls.by_pointer && !memory.read_value(entries + calls.entries_pointer, entries)) ||
      !memory.read_value(
          entries + calls.first_entry + *call * calls.entry_bytes + calls.method_of_entry,
          callee) ||
      callee == 0)
    return std::nullopt;
  return callee;
}

}  // namespace stallscope::hotspot_frames
