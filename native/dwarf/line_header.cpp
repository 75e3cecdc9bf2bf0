#include "dwarf/line_header.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t max_entries = std::size_t{1} << 20U;  // files or directories of a table

// Content of an entry of a file or a directory in version 5.
constexpr std::uint64_t content_path = 1;
constexpr std::uint64_t content_directory = 2;

struct entry_field {
  std::uint64_t content;
  form kind;
};

std::string_view take_name(byte_reader& reader) {
  const value text = read_value(reader, form::string, {});
  return {reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()};
}

// The tables of files and directories before version 5.
void read_old_tables(byte_reader& reader, line_header& header) {
  header.directories.emplace_back();  // 0 is the directory of the unit
  while (true) {
    const std::string_view directory = take_name(reader);
    if (directory.empty()) break;
    header.directories.push_back(directory);
  }
  header.files.emplace_back();  // files start at 1
  while (true) {
    const std::string_view name = take_name(reader);
    if (name.empty()) break;
    const std::uint64_t directory = reader.uleb128();
    reader.uleb128();  // time of the last change
    reader.uleb128();  // size
    header.files.push_back({name, directory});
  }
}

std::vector<entry_field> read_entry_fields(byte_reader& reader) {
  std::vector<entry_field> fields;
  const auto count = reader.number<std::uint8_t>();
  for (unsigned index = 0; index < count; ++index) {
    const std::uint64_t content = reader.uleb128();
    const std::uint64_t kind = reader.uleb128();
    if (kind > UINT16_MAX) throw malformed("an unknown form in a line table");
    fields.push_back({content, static_cast<form>(kind)});
  }
  return fields;
}

// The entries of the table of files or of directories in version 5.
std::vector<line_file> read_entries(byte_reader& reader, sections& from, const unit& owner,
                                    const entry_format& format) {
  const std::vector<entry_field> fields = read_entry_fields(reader);
  const std::uint64_t count = reader.uleb128();
  // An entry takes at least one byte, so that the bytes limit the count.
  if (reader.failed() || count > reader.left() || count > max_entries ||
      (fields.empty() && count != 0)) {
    throw malformed("an impossible number of files");
  }
  std::vector<line_file> entries;
  for (std::uint64_t index = 0; index < count; ++index) {
    line_file entry;
    for (const entry_field& field : fields) {
      const value content = read_value(reader, field.kind, format);
      if (field.content == content_path) {
        entry.name = text_of(from, owner, content).value_or("?");
      } else if (field.content == content_directory) {
        entry.directory = content.number;
      }
    }
    if (reader.failed()) throw malformed("a table of files that ends early");
    entries.push_back(entry);
  }
  return entries;
}

void read_new_tables(byte_reader& reader, line_header& header, sections& from, const unit& owner) {
  for (const line_file& directory : read_entries(reader, from, owner, header.format)) {
    header.directories.push_back(directory.name);
  }
  header.files = read_entries(reader, from, owner, header.format);
}

// The bytes of the line table of a unit, after the length.
std::span<const std::byte> table_bytes(sections& from, std::uint64_t offset, entry_format& format) {
  const std::uint64_t size = from.line.size();
  if (offset >= size) throw malformed("a line table outside its section");
  byte_reader reader(from.line.bytes(offset, std::min<std::uint64_t>(12, size - offset)));
  const std::uint64_t length = read_initial_length(reader, format.offset_size);
  if (reader.failed()) throw malformed("a line table that ends early");
  return from.line.bytes(offset + reader.offset(), length);
}

void append_path(std::string& path, std::string_view part) {
  if (part.starts_with('/')) path.clear();
  if (!path.empty() && !path.ends_with('/')) path.push_back('/');
  path.append(part);
}

}  // namespace

line_header read_line_header(sections& from, const unit& owner) {
  if (!owner.line_table) throw malformed("a unit without a line table");
  line_header header;
  const auto bytes = table_bytes(from, *owner.line_table, header.format);
  byte_reader reader(bytes);
  header.format.version = reader.number<std::uint16_t>();
  header.format.address_size = owner.header.format.address_size;
  if (header.format.version < 2 || header.format.version > 5) {
    throw malformed("a line table of an unknown version");
  }
  if (header.format.version >= 5) {
    header.format.address_size = reader.number<std::uint8_t>();
    reader.skip(1);  // size of segments
  }
  const std::uint64_t header_bytes = read_number(reader, header.format.offset_size);
  if (reader.failed() || header_bytes > reader.left()) {
    throw malformed("a line table that ends in its header");
  }
  const std::size_t end = reader.offset() + static_cast<std::size_t>(header_bytes);
  header.instruction_bytes = reader.number<std::uint8_t>();
  if (header.format.version >= 4) header.operations_per_instruction = reader.number<std::uint8_t>();
  reader.skip(1);  // whether rows are statements by default
  header.line_base = static_cast<std::int8_t>(reader.number<std::uint8_t>());
  header.line_range = reader.number<std::uint8_t>();
  header.opcode_base = reader.number<std::uint8_t>();
  if (reader.failed() || header.line_range == 0 || header.opcode_base == 0 ||
      header.operations_per_instruction == 0) {
    throw malformed("a line table with an impossible header");
  }
  for (unsigned opcode = 1; opcode < header.opcode_base; ++opcode) {
    header.operand_counts.push_back(reader.number<std::uint8_t>());
  }
  byte_reader tables(bytes.first(end), reader.offset());
  if (header.format.version >= 5) {
    read_new_tables(tables, header, from, owner);
  } else {
    read_old_tables(tables, header);
  }
  header.program = bytes.subspan(end);
  return header;
}

std::string line_header::path(std::uint64_t file, std::string_view directory) const {
  if (file >= files.size() || (format.version < 5 && file == 0)) return {};
  const line_file& entry = files[static_cast<std::size_t>(file)];
  if (entry.directory >= directories.size()) return {};
  std::string path(directory);
  append_path(path, directories[static_cast<std::size_t>(entry.directory)]);
  append_path(path, entry.name);
  return normal_path(path);
}

std::string normal_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    const bool leaves_part = part == ".." && !parts.empty() && parts.back() != "..";
    if (leaves_part) {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const std::string_view part : parts) {
    if (absolute || !result.empty()) result.push_back('/');
    result.append(part);
  }
  if (result.empty()) result.push_back(absolute ? '/' : '.');
  return result;
}

}  // namespace stallscope::dwarf
