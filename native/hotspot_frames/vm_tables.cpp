#include "hotspot_frames/vm_tables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace stallscope::hotspot_frames {
namespace {

using process_reading::memory_range;
using process_reading::value_at;

constexpr std::size_t max_entries = 8192;
constexpr std::size_t entries_at_once = 512;
constexpr std::size_t largest_stride = 256;
constexpr std::size_t longest_table_name = 96;  // longer names are not needed

// An array of entries that ends with an entry without name.
struct entry_array {
  std::uint64_t begin = 0;
  std::uint64_t stride = 0;
};

struct table_source {
  const process_memory& memory;
  vm_tables::symbol_lookup symbols;
  const void* context;
  read_budget& budget;

  [[nodiscard]] std::optional<std::uint64_t> variable(const std::string& name) const {
    const auto address = symbols(context, name);
    std::uint64_t value = 0;
    if (!address || !budget.take(sizeof value) || !memory.read_value(*address, value))
      return std::nullopt;
    return value;
  }
  [[nodiscard]] std::optional<entry_array> array(const std::string& table,
                                                 const std::string& entry) const {
    const auto begin = variable(table);
    const auto stride = variable(entry + "ArrayStride");
    if (!begin || !stride || *stride < 2 * sizeof(std::uint64_t) || *stride > largest_stride)
      return std::nullopt;
    return entry_array{*begin, *stride};
  }
  // The offset of a part of an entry that has `bytes` bytes.
  [[nodiscard]] std::optional<std::size_t> part(const std::string& entry, const char* name,
                                                const entry_array& of, std::size_t bytes) const {
    const auto offset = variable(entry + name + "Offset");
    if (!offset || *offset > of.stride || of.stride - *offset < bytes) return std::nullopt;
    return static_cast<std::size_t>(*offset);
  }
  // The entries up to the one whose pointer at `name_part` is null.
  [[nodiscard]] std::optional<std::vector<std::byte>> entries(const entry_array& of,
                                                              std::size_t name_part) const {
    std::vector<std::byte> bytes;
    const auto stride = static_cast<std::size_t>(of.stride);
    while (bytes.size() / stride < max_entries) {
      const std::size_t before = bytes.size();
      bytes.resize(before + entries_at_once * stride);
      if (!budget.take(entries_at_once * stride)) return std::nullopt;
      const std::size_t count =
          memory.read_some(of.begin + before, std::span{bytes}.subspan(before)) / stride;
      for (std::size_t i = 0; i < count; ++i) {
        if (value_at<std::uint64_t>(bytes, before + i * stride + name_part) != 0) continue;
        bytes.resize(before + i * stride);
        return bytes;
      }
      if (count < entries_at_once) return std::nullopt;  // without an end
    }
    return std::nullopt;
  }
  // The text at every address; empty for a null pointer and for what cannot be read.
  [[nodiscard]] std::vector<std::string> texts(const std::vector<std::uint64_t>& addresses) const {
    std::vector<std::string> result(addresses.size());
    std::vector<std::array<std::byte, longest_table_name>> bytes(addresses.size());
    std::vector<memory_range> ranges;
    for (std::size_t i = 0; i < addresses.size(); ++i) ranges.push_back({addresses[i], bytes[i]});
    const bool all_read = budget.take(addresses.size() * longest_table_name) && memory.read(ranges);
    for (std::size_t i = 0; i < addresses.size() && !budget.exhausted(); ++i) {
      if (!all_read && memory.read_some(addresses[i], bytes[i]) == 0) continue;
      const auto end = std::find(bytes[i].begin(), bytes[i].end(), std::byte{0});
      for (auto byte = bytes[i].begin(); byte != end; ++byte)
        result[i].push_back(static_cast<char>(*byte));
    }
    return result;
  }
};

std::vector<std::uint64_t> column(std::span<const std::byte> entries, std::size_t stride,
                                  std::size_t part) {
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at + stride <= entries.size(); at += stride)
    values.push_back(value_at<std::uint64_t>(entries, at + part));
  return values;
}

// A table of names with a number: types with their size, or constants.
template <class Number>
bool read_numbers(const table_source& source, const std::string& table, const std::string& entry,
                  const char* name_part, const char* number_part,
                  std::unordered_map<std::string, Number>& into) {
  const auto array = source.array(table, entry);
  if (!array) return false;
  const auto name = source.part(entry, name_part, *array, sizeof(std::uint64_t));
  const bool is_size = sizeof(Number) == sizeof(std::uint64_t) && std::is_unsigned_v<Number>;
  const auto number = source.part(entry, number_part, *array,
                                  is_size ? sizeof(std::uint64_t) : sizeof(std::int32_t));
  if (!name || !number) return false;
  const auto entries = source.entries(*array, *name);
  if (!entries) return false;
  const auto stride = static_cast<std::size_t>(array->stride);
  const auto names = source.texts(column(*entries, stride, *name));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t at = i * stride + *number;
    into.emplace(names[i], is_size ? static_cast<Number>(value_at<std::uint64_t>(*entries, at))
                                   : static_cast<Number>(value_at<std::int32_t>(*entries, at)));
  }
  return true;
}

template <class Map>
auto lookup(const Map& map, std::string_view name) -> std::optional<typename Map::mapped_type> {
  const auto position = map.find(std::string{name});
  if (position == map.end()) return std::nullopt;
  return position->second;
}

}  // namespace

std::optional<vm_tables> vm_tables::read(const process_memory& memory, symbol_lookup symbols,
                                         const void* context, read_budget& budget) {
  const table_source source{memory, symbols, context, budget};
  const std::string entry = "gHotSpotVMStructEntry";
  const auto array = source.array("gHotSpotVMStructs", entry);
  if (!array) return std::nullopt;
  const auto type = source.part(entry, "TypeName", *array, sizeof(std::uint64_t));
  const auto field = source.part(entry, "FieldName", *array, sizeof(std::uint64_t));
  const auto is_static = source.part(entry, "IsStatic", *array, sizeof(std::int32_t));
  const auto offset = source.part(entry, "Offset", *array, sizeof(std::uint64_t));
  const auto address = source.part(entry, "Address", *array, sizeof(std::uint64_t));
  if (!type || !field || !is_static || !offset || !address) return std::nullopt;
  const auto entries = source.entries(*array, *type);
  if (!entries) return std::nullopt;
  const auto stride = static_cast<std::size_t>(array->stride);
  const auto types = source.texts(column(*entries, stride, *type));
  const auto fields = source.texts(column(*entries, stride, *field));
  vm_tables result;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::size_t at = i * stride;
    const std::string name = types[i] + "::" + fields[i];
    if (value_at<std::int32_t>(*entries, at + *is_static) != 0) {
      result.addresses_.emplace(name, value_at<std::uint64_t>(*entries, at + *address));
    } else {
      result.offsets_.emplace(name, value_at<std::uint64_t>(*entries, at + *offset));
    }
  }
  if (!read_numbers(source, "gHotSpotVMTypes", "gHotSpotVMTypeEntry", "TypeName", "Size",
                    result.sizes_) ||
      !read_numbers(source, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", "Name", "Value",
                    result.constants_))
    return std::nullopt;
  return result;
}

std::optional<std::uint64_t> vm_tables::offset(std::string_view field) const {
  return lookup(offsets_, field);
}
std::optional<std::uint64_t> vm_tables::address(std::string_view field) const {
  return lookup(addresses_, field);
}
std::optional<std::uint64_t> vm_tables::size_of(std::string_view type) const {
  return lookup(sizes_, type);
}
std::optional<std::int64_t> vm_tables::constant(std::string_view name) const {
  return lookup(constants_, name);
}

}  // namespace stallscope::hotspot_frames
