#include "ruby_frames/objects.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "process_reading/utf8.hpp"

namespace stallscope::ruby_frames {
namespace {

using process_reading::value_at;

// RBasic.flags (include/ruby/internal/value_type.h, fl_type.h); the same in 3.x.
constexpr std::uint64_t type_mask = 0x1f;
constexpr std::uint64_t type_class = 2;
constexpr std::uint64_t type_module = 3;
constexpr std::uint64_t type_string = 5;
constexpr std::uint64_t type_array = 7;
constexpr std::uint64_t type_included_class = 28;
constexpr std::uint64_t singleton = std::uint64_t{1} << 12U;
constexpr std::uint64_t string_not_embedded = std::uint64_t{1} << 13U;
constexpr std::uint64_t array_embedded = std::uint64_t{1} << 13U;
constexpr unsigned string_length_shift = 14;
constexpr unsigned array_length_shift = 15;
constexpr std::size_t object_bytes = 40;
constexpr std::size_t object_class = 8;
constexpr std::size_t object_contents = 16;
constexpr std::size_t max_text_bytes = 4096;

// rb_symbols_t (symbol.h): {last_id, str, ids, ...}; ids is an array of arrays of 512 pairs of
// string and symbol.
constexpr std::size_t symbols_bytes = 32;
constexpr std::size_t symbols_ids = 16;
constexpr std::uint64_t ids_per_array = 512;
constexpr unsigned id_scope_bits = 4;
constexpr std::uint32_t least_ids = 500;
constexpr std::uint32_t most_ids = 1U << 24U;
constexpr std::uint64_t plus = '+';
constexpr int max_searches = 100;
constexpr std::uint64_t between_searches_ns = 20'000'000;
constexpr std::size_t max_data_bytes = std::size_t{2} << 20U;

// st_table (include/ruby/st.h).
constexpr std::size_t table_bytes = 56;
constexpr std::size_t table_bound = 40;
constexpr std::size_t table_entries = 48;
constexpr std::size_t entry_bytes = 24;
constexpr std::size_t max_variables = 64;

}  // namespace

std::optional<std::u32string> objects::string_at(std::uint64_t object) const {
  std::array<std::byte, object_bytes> bytes{};
  if (object % 8 != 0 || !memory_.read(object, bytes)) return std::nullopt;
  const auto flags = value_at<std::uint64_t>(bytes, 0);
  if ((flags & type_mask) != type_string) return std::nullopt;
  std::string text;
  if ((flags & string_not_embedded) == 0) {
    const auto length = (flags >> string_length_shift) & 0x1fU;
    if (length > object_bytes - object_contents) return std::nullopt;
    text.assign(reinterpret_cast<const char*>(bytes.data()) + object_contents,
                static_cast<std::size_t>(length));
  } else {
    const auto length = value_at<std::uint64_t>(bytes, object_contents);
    if (length > max_text_bytes) return std::nullopt;
    text.resize(static_cast<std::size_t>(length));
    if (!memory_.read(value_at<std::uint64_t>(bytes, fields_.string_pointer),
                      std::as_writable_bytes(std::span{text})))
      return std::nullopt;
  }
  return process_reading::text_of_utf8(text);
}

std::vector<std::uint64_t> objects::elements(std::uint64_t array, std::uint64_t first,
                                             std::size_t count) const {
  std::array<std::byte, object_bytes> bytes{};
  if (array % 8 != 0 || !memory_.read(array, bytes)) return {};
  const auto flags = value_at<std::uint64_t>(bytes, 0);
  if ((flags & type_mask) != type_array) return {};
  const bool embedded = (flags & array_embedded) != 0;
  const auto length = embedded ? (flags >> array_length_shift) & 3U
                               : value_at<std::uint64_t>(bytes, object_contents);
  if (first >= length || length > most_ids || count > length - first) return {};
  const auto begin =
      embedded ? array + object_contents : value_at<std::uint64_t>(bytes, fields_.array_pointer);
  std::vector<std::uint64_t> result(count);
  if (!memory_.read(begin + 8 * first, std::as_writable_bytes(std::span{result}))) return {};
  return result;
}

std::optional<std::u32string> objects::path_at(std::uint64_t object) const {
  if (auto text = string_at(object)) return text;
  const auto paths = elements(object, 0, 2);
  if (paths.size() != 2) return std::nullopt;
  auto real_path = string_at(paths[1]);
  return real_path ? real_path : string_at(paths[0]);
}

std::optional<std::u32string> objects::name_in(std::uint64_t symbols, std::uint64_t serial) const {
  std::uint64_t ids = 0;
  if (!memory_.read_value(symbols + symbols_ids, ids)) return std::nullopt;
  const auto part = elements(ids, serial / ids_per_array, 1);
  const auto entry = part.empty() ? part : elements(part[0], serial % ids_per_array * 2, 1);
  return entry.empty() ? std::nullopt : string_at(entry[0]);
}

std::optional<std::u32string> objects::name_of_id(std::uint64_t id) const {
  if (symbols_ == 0) return std::nullopt;
  return name_in(symbols_, id > fields_.last_operator_id ? id >> id_scope_bits : id);
}

bool objects::find_symbols() {
  if (symbols_ != 0) return true;
  const auto now_ns = monotonic_ns();
  if (searches_ >= max_searches || (searches_ > 0 && now_ns < searched_ns_ + between_searches_ns))
    return false;
  ++searches_;
  searched_ns_ = now_ns;
  for (const auto& region : writable_) {
    std::vector<std::byte> data(static_cast<std::size_t>(
        std::min<std::uint64_t>(region.end - region.begin, max_data_bytes)));
    data.resize(memory_.read_some(region.begin, data));
    const auto first = static_cast<std::size_t>(-region.begin & 7U);
    for (auto at = first; at + symbols_bytes <= data.size(); at += 8) {
      const auto last_id = value_at<std::uint64_t>(data, at);
      if (last_id < least_ids || last_id > most_ids) continue;
      const auto table = value_at<std::uint64_t>(data, at + 8);
      const auto ids = value_at<std::uint64_t>(data, at + symbols_ids);
      if (table == 0 || table % 8 != 0 || ids == 0 || ids % 8 != 0) continue;
      if (name_in(region.begin + at, plus) != U"+") continue;
      symbols_ = region.begin + at;
      return true;
    }
  }
  return false;
}

objects::class_names objects::names_of(std::uint64_t class_object) const {
  class_names result;
  std::uint64_t extension = 0;
  std::uint64_t variables = 0;
  std::array<std::byte, table_bytes> table{};
  if (!memory_.read_value(class_object + fields_.class_extension, extension) ||
      !memory_.read_value(extension + fields_.extension_variables, variables) ||
      !memory_.read(variables, table))
    return result;
  const auto bound =
      std::min<std::uint64_t>(value_at<std::uint64_t>(table, table_bound), max_variables);
  std::vector<std::byte> entries(static_cast<std::size_t>(bound) * entry_bytes);
  if (!memory_.read(value_at<std::uint64_t>(table, table_entries), entries)) return result;
  for (std::size_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
    const auto name = name_of_id(value_at<std::uint64_t>(entries, at + 8));
    const auto value = value_at<std::uint64_t>(entries, at + 16);
    if (name == U"__classpath__" || name == U"__tmp_classpath__") result.path = string_at(value);
    if (name == U"__attached__") result.attached = value;
  }
  return result;
}

std::u32string objects::method_prefix(std::uint64_t owner) const {
  std::array<std::byte, object_contents> head{};
  const auto flags_of = [&](std::uint64_t object) -> std::uint64_t {
    if (object == 0 || object % 8 != 0 || !memory_.read(object, head)) return 0;
    return value_at<std::uint64_t>(head, 0);
  };
  auto flags = flags_of(owner);
  if ((flags & type_mask) == type_included_class) {
    owner = value_at<std::uint64_t>(head, object_class);
    flags = flags_of(owner);
  }
  const auto is_class = [](std::uint64_t of) {
    return (of & type_mask) == type_class || (of & type_mask) == type_module;
  };
  if (!is_class(flags)) return {};
  auto names = names_of(owner);
  const bool of_singleton = (flags & type_mask) == type_class && (flags & singleton) != 0;
  if (of_singleton)
    names = is_class(flags_of(names.attached)) ? names_of(names.attached) : class_names{};
  if (!names.path) return {};
  return *names.path + (of_singleton ? U"." : U"#");
}

}  // namespace stallscope::ruby_frames
