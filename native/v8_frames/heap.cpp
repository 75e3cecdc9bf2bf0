#include "v8_frames/heap.hpp"

#include <algorithm>
#include <array>

namespace stallscope::v8_frames {
namespace {

// Fields that all supported versions have in the same places (v8dbg_class_*String*).
constexpr std::uint32_t string_length_at = 12;
constexpr std::uint32_t string_characters_at = 16;
constexpr std::uint32_t string_first_at = 16;   // of a concatenation; the parent of a slice
constexpr std::uint32_t string_second_at = 24;  // the offset of a slice; external characters
constexpr std::size_t string_header_bytes = 32;
constexpr std::uint32_t array_length_at = 8;
constexpr std::uint32_t array_elements_at = 16;
constexpr std::uint32_t first_nonstring_type = 128;
constexpr std::uint32_t one_byte_bit = 8;
constexpr std::uint32_t representation_mask = 7;
enum representation : std::uint32_t { sequential, concatenated, external, sliced, thin = 5 };
constexpr int max_depth = 12;
constexpr std::size_t max_known_maps = 8192;
constexpr std::size_t bytes_per_read = std::size_t{256} << 10U;

}  // namespace

std::optional<std::uint64_t> heap::field(std::uint64_t pointer, std::uint32_t offset) const {
  std::uint64_t value = 0;
  if (!is_pointer(pointer) || !memory_.read_value(address_of(pointer) + offset, value))
    return std::nullopt;
  return value;
}

std::optional<std::uint32_t> heap::type_of_map(std::uint64_t map_word) {
  if (!is_pointer(map_word)) return std::nullopt;
  const auto cached = types_.find(map_word);
  if (cached != types_.end()) return cached->second;
  std::array<std::byte, 16> map{};
  std::uint16_t type_of_meta_map = 0;
  if (!memory_.read(address_of(map_word), map)) return std::nullopt;
  const auto meta_map = value_at<std::uint64_t>(map, 0);
  if (!is_pointer(meta_map) ||
      !memory_.read_value(address_of(meta_map) + fields_->map_instance_type, type_of_meta_map) ||
      type_of_meta_map != fields_->map_type || fields_->map_instance_type + 2 > map.size())
    return std::nullopt;
  const std::uint32_t type = value_at<std::uint16_t>(map, fields_->map_instance_type);
  if (types_.size() >= max_known_maps) types_.clear();
  types_.emplace(map_word, type);
  return type;
}

std::optional<std::uint32_t> heap::type_of(std::uint64_t pointer) {
  const auto map = field(pointer, 0);
  return map ? type_of_map(*map) : std::nullopt;
}

std::optional<heap::flat_string> heap::flat(std::uint64_t pointer, int depth) {
  std::array<std::byte, string_header_bytes> header{};
  if (depth > max_depth || !is_pointer(pointer) || !memory_.read(address_of(pointer), header))
    return std::nullopt;
  const auto type = type_of_map(value_at<std::uint64_t>(header, 0));
  if (!type || *type >= first_nonstring_type) return std::nullopt;
  const auto length = value_at<std::int32_t>(header, string_length_at);
  if (length < 0) return std::nullopt;
  flat_string result{address_of(pointer) + string_characters_at, static_cast<std::size_t>(length),
                     (*type & one_byte_bit) != 0};
  const auto first = value_at<std::uint64_t>(header, string_first_at);
  const auto second = value_at<std::uint64_t>(header, string_second_at);
  switch (*type & representation_mask) {
    case sequential:
      return result;
    case external:
      result.characters = second;
      return result;
    case thin:
      return flat(first, depth + 1);
    case sliced: {
      auto parent = flat(first, depth + 1);
      const auto offset = smi_value(second);
      if (!parent || !is_smi(second) || offset < 0 ||
          static_cast<std::size_t>(offset) + result.length > parent->length)
        return std::nullopt;
      parent->characters += static_cast<std::uint64_t>(offset) * (parent->one_byte ? 1 : 2);
      parent->length = result.length;
      return parent;
    }
    case concatenated: {
      // A flattened concatenation has an empty second part.
      auto part = flat(first, depth + 1);
      return part && part->length == result.length ? part : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool heap::append(std::uint64_t pointer, std::size_t max_characters, int depth,
                  std::u32string& into) {
  if (into.size() >= max_characters) return true;
  if (const auto whole = flat(pointer, depth)) {
    const auto count = std::min(whole->length, max_characters - into.size());
    std::vector<std::byte> raw(count * (whole->one_byte ? 1 : 2));
    if (!raw.empty() && !memory_.read(whole->characters, raw)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const char32_t unit = whole->one_byte
                                ? static_cast<char32_t>(std::to_integer<unsigned>(raw[i]))
                                : value_at<std::uint16_t>(raw, 2 * i);
      const bool follows = unit >= 0xdc00 && unit < 0xe000 && !into.empty() &&
                           into.back() >= 0xd800 && into.back() < 0xdc00;
      if (follows) {
        into.back() = 0x10000 + ((into.back() - 0xd800) << 10U) + (unit - 0xdc00);
      } else {
        into += unit;
      }
    }
    return true;
  }
  std::array<std::byte, string_header_bytes> header{};
  if (depth > max_depth || !is_pointer(pointer) || !memory_.read(address_of(pointer), header))
    return false;
  const auto type = type_of_map(value_at<std::uint64_t>(header, 0));
  if (!type || *type >= first_nonstring_type || (*type & representation_mask) != concatenated)
    return false;
  return append(value_at<std::uint64_t>(header, string_first_at), max_characters, depth + 1,
                into) &&
         append(value_at<std::uint64_t>(header, string_second_at), max_characters, depth + 1, into);
}

std::optional<std::u32string> heap::text(std::uint64_t pointer, std::size_t max_characters) {
  std::u32string result;
  if (!append(pointer, max_characters, 0, result)) return std::nullopt;
  return result;
}

std::optional<std::vector<std::uint32_t>> heap::newlines(std::uint64_t pointer,
                                                         std::size_t max_bytes) {
  const auto whole = flat(pointer, 0);
  if (!whole) return std::nullopt;
  const std::size_t unit_bytes = whole->one_byte ? 1 : 2;
  const std::size_t size = whole->length * unit_bytes;
  if (size > max_bytes) return std::nullopt;
  std::vector<std::uint32_t> result;
  std::vector<std::byte> part;
  for (std::size_t at = 0; at < size; at += part.size()) {
    part.resize(std::min(bytes_per_read, size - at));
    if (!memory_.read(whole->characters + at, part)) return std::nullopt;
    for (std::size_t i = 0; i + unit_bytes <= part.size(); i += unit_bytes) {
      const bool newline =
          part[i] == std::byte{'\n'} && (unit_bytes == 1 || part[i + 1] == std::byte{0});
      if (newline) result.push_back(static_cast<std::uint32_t>((at + i) / unit_bytes));
    }
  }
  return result;
}

std::optional<std::vector<std::uint64_t>> heap::elements(std::uint64_t pointer,
                                                         std::size_t max_elements) const {
  const auto length = field(pointer, array_length_at);
  if (!length || !is_smi(*length) || smi_value(*length) < 0) return std::nullopt;
  const auto count = std::min(static_cast<std::size_t>(smi_value(*length)), max_elements);
  std::vector<std::uint64_t> result(count);
  if (count != 0 && !memory_.read(address_of(pointer) + array_elements_at,
                                  std::as_writable_bytes(std::span{result})))
    return std::nullopt;
  return result;
}

std::optional<std::vector<std::byte>> heap::bytes(std::uint64_t pointer,
                                                  std::size_t max_bytes) const {
  const auto length = field(pointer, array_length_at);
  if (!length || !is_smi(*length) || smi_value(*length) < 0 ||
      static_cast<std::size_t>(smi_value(*length)) > max_bytes)
    return std::nullopt;
  std::vector<std::byte> result(static_cast<std::size_t>(smi_value(*length)));
  if (!result.empty() && !memory_.read(address_of(pointer) + array_elements_at, result))
    return std::nullopt;
  return result;
}

}  // namespace stallscope::v8_frames
