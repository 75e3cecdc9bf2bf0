#include "process_reading/dynamic_symbols.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace stallscope::process_reading {
namespace {

constexpr std::size_t max_entries = 4096;
// Hash tables are built for chains of about two symbols.
constexpr unsigned longest_chain = 256;
constexpr unsigned bits_per_word = 64;

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char character : name) hash = hash * 33 + static_cast<unsigned char>(character);
  return hash;
}

std::uint32_t system_v_hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char character : name) {
    hash = (hash << 4U) + static_cast<unsigned char>(character);
    hash = (hash ^ ((hash & 0xf0000000U) >> 24U)) & 0x0fffffffU;
  }
  return hash;
}

}  // namespace

dynamic_symbols::dynamic_symbols(const elf_file& file) : file_{&file} {
  const auto& segments = file.segments();
  const auto dynamic = std::find_if(segments.begin(), segments.end(), [](const auto& segment) {
    return segment.p_type == PT_DYNAMIC;
  });
  if (dynamic == segments.end()) return;
  std::vector<Elf64_Dyn> entries(static_cast<std::size_t>(
      std::min<std::uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), max_entries)));
  if (!file.read(dynamic->p_offset, std::as_writable_bytes(std::span{entries}))) return;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_SYMTAB) tables_.symbols = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRTAB) tables_.strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_GNU_HASH) tables_.gnu_hash = entry.d_un.d_ptr;
    if (entry.d_tag == DT_HASH) tables_.system_v_hash = entry.d_un.d_ptr;
  }
}

template <class T>
std::optional<T> dynamic_symbols::at(std::uint64_t address) const {
  const auto offset = file_->offset_of(address, sizeof(T));
  return offset ? file_->read_value<T>(*offset) : std::nullopt;
}

std::optional<std::uint64_t> dynamic_symbols::value_of(std::string_view name) const {
  const auto symbol = find(name);
  return symbol ? std::optional{symbol->value} : std::nullopt;
}

std::optional<dynamic_symbols::exported> dynamic_symbols::find(std::string_view name) const {
  if (tables_.symbols == 0 || tables_.strings == 0) return std::nullopt;
  if (tables_.gnu_hash != 0) return by_gnu_hash(name);
  return tables_.system_v_hash != 0 ? by_system_v_hash(name) : std::nullopt;
}

std::optional<dynamic_symbols::exported> dynamic_symbols::by_gnu_hash(std::string_view name) const {
  struct table_header {
    std::uint32_t buckets;
    std::uint32_t first_symbol;
    std::uint32_t filter_words;
    std::uint32_t filter_shift;
  };
  const auto header = at<table_header>(tables_.gnu_hash);
  if (!header || header->buckets == 0 || header->filter_words == 0) return std::nullopt;
  const std::uint32_t hash = gnu_hash_of(name);
  const std::uint64_t filter = tables_.gnu_hash + sizeof(table_header);
  const auto word =
      at<std::uint64_t>(filter + std::uint64_t{8} * (hash / bits_per_word % header->filter_words));
  const std::uint32_t shifted = header->filter_shift < 32 ? hash >> header->filter_shift : 0;
  if (!word || (*word >> (hash % bits_per_word) & *word >> (shifted % bits_per_word) & 1U) == 0)
    return std::nullopt;
  const std::uint64_t buckets = filter + std::uint64_t{8} * header->filter_words;
  const auto first = at<std::uint32_t>(buckets + std::uint64_t{4} * (hash % header->buckets));
  if (!first || *first < header->first_symbol) return std::nullopt;
  const std::uint64_t chains = buckets + std::uint64_t{4} * header->buckets;
  for (std::uint32_t i = 0; i < longest_chain; ++i) {
    const std::uint64_t index = std::uint64_t{*first} + i;
    const auto entry = at<std::uint32_t>(chains + 4 * (index - header->first_symbol));
    if (!entry) return std::nullopt;
    if ((*entry | 1U) == (hash | 1U)) {
      if (const auto symbol = if_named(static_cast<std::uint32_t>(index), name)) return symbol;
    }
    if ((*entry & 1U) != 0) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<dynamic_symbols::exported> dynamic_symbols::by_system_v_hash(
    std::string_view name) const {
  const std::uint64_t table = tables_.system_v_hash;
  const auto bucket_count = at<std::uint32_t>(table);
  if (!bucket_count || *bucket_count == 0) return std::nullopt;
  const std::uint64_t buckets = table + 8;
  const std::uint64_t chains = buckets + std::uint64_t{4} * *bucket_count;
  auto index =
      at<std::uint32_t>(buckets + std::uint64_t{4} * (system_v_hash_of(name) % *bucket_count));
  for (unsigned i = 0; i < longest_chain && index && *index != STN_UNDEF; ++i) {
    if (const auto symbol = if_named(*index, name)) return symbol;
    index = at<std::uint32_t>(chains + std::uint64_t{4} * *index);
  }
  return std::nullopt;
}

std::optional<dynamic_symbols::exported> dynamic_symbols::if_named(std::uint32_t index,
                                                                   std::string_view name) const {
  const auto symbol = at<Elf64_Sym>(tables_.symbols + std::uint64_t{index} * sizeof(Elf64_Sym));
  if (!symbol || symbol->st_shndx == SHN_UNDEF) return std::nullopt;
  std::string text(name.size() + 1, '\0');
  const auto offset = file_->offset_of(tables_.strings + symbol->st_name, text.size());
  if (!offset || !file_->read(*offset, std::as_writable_bytes(std::span{text})))
    return std::nullopt;
  if (text.back() != '\0' || !text.starts_with(name)) return std::nullopt;
  return exported{symbol->st_value, symbol->st_size};
}

}  // namespace stallscope::process_reading
