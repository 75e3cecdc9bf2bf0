#include "hotspot_frames/methods.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "hotspot_frames/compressed_numbers.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

using process_reading::memory_range;
using process_reading::value_at;

constexpr std::size_t max_methods = 65'536;
constexpr std::size_t longest_name = 512;
constexpr std::size_t max_line_bytes = std::size_t{8} << 10U;
constexpr std::size_t max_lines = 4096;
constexpr std::size_t largest_method_structure = 256;
constexpr std::uint32_t long_line_entry = 0xff;

constexpr std::array<std::string_view, 4> kind_names{"interpreted", "c1", "c2", "native"};
constexpr std::string_view not_a_method = "its method cannot be read";

// Class names are stored with slashes; the address of a hidden class follows a plus sign.
std::string written_class(std::string name) {
  std::replace(name.begin(), name.end(), '/', '.');
  std::replace(name.begin(), name.end(), '+', '/');
  return name;
}

// Modified UTF-8: at most three bytes per unit, and two units for characters outside the basic
// plane. Invalid bytes become U+FFFD.
std::u32string decoded(std::string_view text) {
  constexpr char32_t replacement = 0xfffd;
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) -> char32_t {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    char32_t unit = byte(i);
    std::size_t length = 1;
    if ((unit & 0xe0U) == 0xc0U && (byte(i + 1) & 0xc0U) == 0x80U) {
      unit = (unit & 0x1fU) << 6U | (byte(i + 1) & 0x3fU);
      length = 2;
    } else if ((unit & 0xf0U) == 0xe0U && (byte(i + 1) & 0xc0U) == 0x80U &&
               (byte(i + 2) & 0xc0U) == 0x80U) {
      unit = (unit & 0x0fU) << 12U | (byte(i + 1) & 0x3fU) << 6U | (byte(i + 2) & 0x3fU);
      length = 3;
    } else if (unit >= 0x80U) {
      unit = replacement;
    }
    i += length;
    const bool is_low = (unit & 0xfc00U) == 0xdc00U;
    if (is_low && !result.empty() && (result.back() & 0xfffffc00U) == 0xd800U) {
      result.back() = 0x10000U + ((result.back() & 0x3ffU) << 10U | (unit & 0x3ffU));
    } else {
      result.push_back(unit);
    }
  }
  return result;
}

}  // namespace

std::int32_t method_facts::bytecode_at(std::uint64_t address) const noexcept {
  if (address < bytecodes || address - bytecodes >= bytecode_bytes) return -1;
  return static_cast<std::int32_t>(address - bytecodes);
}

std::uint32_t method_facts::line_of(std::int32_t bytecode) const noexcept {
  const line_start* best = nullptr;
  for (const auto& candidate : lines) {
    if (bytecode >= 0 && candidate.bytecode <= static_cast<std::uint32_t>(bytecode) &&
        (best == nullptr || candidate.bytecode >= best->bytecode))
      best = &candidate;
  }
  return best == nullptr ? 0 : best->line;
}

method_table::method_table(const process_memory& memory, const vm_layout& layout, pid_t pid,
                           managed_frames::function_log& log)
    : memory_{&memory}, layout_{&layout}, pid_{pid}, log_{&log} {}

method_table::known_method* method_table::find_known(std::uint64_t method) {
  if (const auto cached = methods_.find(method); cached != methods_.end()) return &cached->second;
  auto facts = read(method);
  if (!facts) return nullptr;
  if (methods_.size() >= max_methods) methods_.clear();
  return &methods_.emplace(method, *std::move(facts)).first->second;
}

const method_facts* method_table::find(std::uint64_t method) {
  const auto* const cached = find_known(method);
  return cached == nullptr ? nullptr : &cached->facts;
}

std::uint64_t method_table::function(std::uint64_t method, code_kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  auto* const cached = find_known(method);
  auto& id = cached == nullptr ? unnamed_.at(index) : cached->functions.at(index);
  if (id == 0 && cached == nullptr)
    id = log_->add(pid_, {{}, {}, 0, kind_names.at(index), not_a_method});
  if (id == 0) {
    const auto& facts = cached->facts;
    id = log_->add(pid_,
                   {facts.name, facts.source_file, facts.line_of(0), kind_names.at(index), {}});
  }
  return id;
}

void method_table::add_identities(std::span<const std::uint64_t> methods,
                                  std::vector<memory_range>& ranges) {
  if (readings_.size() < methods.size()) readings_.resize(methods.size());
  readings_used_ = 0;
  for (const auto method : methods) {
    const auto cached = methods_.find(method);
    if (cached == methods_.end()) continue;
    auto& next = readings_[readings_used_++];
    next.method = method;
    next.identity.resize(cached->second.identity.size());
    ranges.push_back({method + layout_->method.constants_of_method,
                      std::as_writable_bytes(std::span{&next.constants, 1})});
    ranges.push_back({cached->second.constants, next.identity});
  }
}

bool method_table::unchanged(std::span<const std::uint64_t> methods) {
  std::vector<memory_range> ranges;
  add_identities(methods, ranges);
  const auto read_ns = monotonic_ns();
  return compare_identities(memory_->read(ranges), read_ns);
}

std::uint64_t method_table::checked_ns(std::uint64_t method) const {
  const auto cached = methods_.find(method);
  return cached == methods_.end() ? 0 : cached->second.checked_ns;
}

bool method_table::compare_identities(bool all_read, std::uint64_t read_ns) {
  bool same = true;
  for (const auto& next : std::span{readings_}.first(readings_used_)) {
    const auto cached = methods_.find(next.method);
    if (cached == methods_.end()) continue;  // removed already: the method was passed twice
    if (all_read && next.constants == cached->second.constants &&
        next.identity == cached->second.identity) {
      cached->second.checked_ns = read_ns;
      continue;
    }
    methods_.erase(cached);
    same = false;
  }
  return same;
}

std::optional<method_table::known_method> method_table::read(std::uint64_t method) const {
  const auto& fields = layout_->method;
  known_method result;
  if (method % word != 0 ||
      !memory_->read_value(method + fields.constants_of_method, result.constants) ||
      fields.bytes > largest_method_structure)
    return std::nullopt;
  result.identity.resize(static_cast<std::size_t>(fields.bytes));
  if (!memory_->read(result.constants, result.identity)) return std::nullopt;
  const auto pool = value_at<std::uint64_t>(result.identity, fields.pool);
  std::array<std::byte, largest_method_structure> pool_bytes{};
  if (layout_->pool.bytes > pool_bytes.size() ||
      !memory_->read(pool, std::span{pool_bytes}.first(layout_->pool.bytes)))
    return std::nullopt;
  const auto length = value_at<std::int32_t>(pool_bytes, layout_->pool.length);
  const auto holder = value_at<std::uint64_t>(pool_bytes, layout_->pool.holder);
  const auto file = value_at<std::uint16_t>(pool_bytes, layout_->pool.source_file);
  std::uint64_t class_symbol = 0;
  if (!memory_->read_value(holder + layout_->klass_name, class_symbol)) return std::nullopt;
  const auto class_name = symbol(class_symbol);
  const auto name =
      pool_symbol(pool, value_at<std::uint16_t>(result.identity, fields.name_index), length);
  if (!class_name || !name) return std::nullopt;
  result.facts.name = decoded(written_class(*class_name) + '.' + *name);
  if (file != 0) result.facts.source_file = decoded(pool_symbol(pool, file, length).value_or(""));
  result.facts.bytecodes = result.constants + fields.bytes;
  result.facts.bytecode_bytes = value_at<std::uint16_t>(result.identity, fields.code_size);
  const auto flags = value_at<std::uint16_t>(result.identity, fields.flags);
  if ((flags & fields.has_line_numbers) != 0)
    result.facts.lines = read_lines(result.facts.bytecodes + result.facts.bytecode_bytes);
  return result;
}

std::optional<std::string> method_table::pool_symbol(std::uint64_t pool, std::uint32_t index,
                                                     std::int32_t length) const {
  std::uint64_t entry = 0;
  if (index == 0 || length < 0 || index >= static_cast<std::uint32_t>(length) ||
      !memory_->read_value(pool + layout_->pool.bytes + word * index, entry))
    return std::nullopt;
  return symbol(entry & ~std::uint64_t{1});
}

std::optional<std::string> method_table::symbol(std::uint64_t address) const {
  std::uint16_t length = 0;
  if (address == 0 || address % word != 0 ||
      !memory_->read_value(address + layout_->symbol_length, length))
    return std::nullopt;
  std::string text(std::min<std::size_t>(length, longest_name), '\0');
  if (text.empty() ||
      !memory_->read(address + layout_->symbol_body, std::as_writable_bytes(std::span{text})))
    return std::nullopt;
  return text;
}

// The table of line numbers follows the bytecodes. A byte has the difference of the bytecode in its
// upper 5 bits and of the line in its lower 3; 255: two signed numbers follow; 0 ends the table.
std::vector<method_facts::line_start> method_table::read_lines(std::uint64_t address) const {
  std::array<std::byte, max_line_bytes> buffer{};
  const std::size_t count = memory_->read_some(address, buffer);
  compressed_numbers numbers{std::span{buffer}.first(count), layout_->unsigned5_excludes_zero};
  std::vector<method_facts::line_start> lines;
  std::int64_t bytecode = 0;
  std::int64_t line = 0;
  while (lines.size() < max_lines) {
    const auto next = numbers.next_byte();
    if (!next || *next == 0) break;
    if (*next == long_line_entry) {
      const auto more_bytecodes = numbers.next_signed();
      const auto more_lines = numbers.next_signed();
      if (!more_bytecodes || !more_lines) break;
      bytecode += *more_bytecodes;
      line += *more_lines;
    } else {
      bytecode += *next >> 3U;
      line += *next & 7U;
    }
    lines.push_back({static_cast<std::uint32_t>(bytecode), static_cast<std::uint32_t>(line)});
  }
  return lines;
}

}  // namespace stallscope::hotspot_frames
