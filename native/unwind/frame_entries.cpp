#include "unwind/frame_entries.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/byte_reader.hpp"
#include "unwind/encoded_pointer.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::uint64_t no_offset = UINT64_MAX;
constexpr std::size_t max_letters = 64;  // of an augmentation string

// The position of an entry in the section.
struct entry_place {
  std::uint64_t offset = 0;  // of the length field; other entries refer to it
  std::uint64_t body = 0;
  std::uint64_t end = 0;
  bool wide = false;  // 64-bit DWARF
};

class entry_reader {
 public:
  entry_reader(const elf_image& image, const section_bytes& section, frame_format format)
      : image_{image}, bytes_{section.bytes}, format_{format} {
    bases_.section = section.address;
    bases_.text = image.section_address(".text");
    bases_.global_offsets = image.section_address(".got");
  }

  frame_entries read(bool unbounded) {
    entry_place place;
    while (next(place, unbounded)) read_entry(place);
    return std::move(result_);
  }

 private:
  // Advances to the next entry. Returns false at the end, and if a length is invalid.
  bool next(entry_place& place, bool unbounded) {
    for (;;) {
      byte_reader reader(bytes_, static_cast<std::size_t>(place.end));
      if (reader.left() < sizeof(std::uint32_t)) return false;
      place.offset = place.end;
      std::uint64_t length = reader.number<std::uint32_t>();
      place.wide = length == UINT32_MAX;
      if (place.wide) length = reader.number<std::uint64_t>();
      if (reader.failed() || length > reader.left()) {
        if (!unbounded) ++result_.bad;
        return false;
      }
      place.body = reader.offset();
      place.end = place.body + length;
      if (length != 0) return true;
      if (unbounded) return false;
    }
  }

  // Reads the field that separates a CIE from an FDE. In an FDE it refers to the CIE.
  std::uint64_t identifier(const entry_place& place, byte_reader& reader) const {
    const std::uint64_t position = reader.offset();
    // In .eh_frame this field has 32 bits even after a 64-bit length.
    const bool wide = place.wide && format_ == frame_format::debug_frame;
    const std::uint64_t value =
        wide ? reader.number<std::uint64_t>() : reader.number<std::uint32_t>();
    if (format_ == frame_format::eh_frame) {
      if (value == 0) return no_offset;
      return value <= position ? position - value : no_offset - 1;
    }
    return value == (wide ? UINT64_MAX : UINT32_MAX) ? no_offset : value;
  }

  void read_entry(const entry_place& place) {
    byte_reader reader(bytes_.first(static_cast<std::size_t>(place.end)),
                       static_cast<std::size_t>(place.body));
    const std::uint64_t common_offset = identifier(place, reader);
    const bool sound =
        !reader.failed() && (common_offset == no_offset ? common_at(place.offset).has_value()
                                                        : read_function(common_offset, reader));
    if (!sound) ++result_.bad;
  }

  // Returns the CIE at an offset of the section. A CIE is parsed at its first use, because in
  // .debug_frame it may follow the FDE. Invalid CIEs are cached too.
  std::optional<std::uint32_t> common_at(std::uint64_t offset) {
    if (offset == last_offset_) return last_;
    const auto [place, is_new] = by_offset_.try_emplace(offset);
    if (is_new) {
      if (auto parsed = parse_common(offset)) {
        place->second = static_cast<std::uint32_t>(result_.commons.size());
        result_.commons.push_back(*parsed);
      }
    }
    last_offset_ = offset;
    last_ = place->second;
    return last_;
  }

  std::optional<common_entry> parse_common(std::uint64_t offset) {
    if (offset >= bytes_.size()) return std::nullopt;
    byte_reader header(bytes_, static_cast<std::size_t>(offset));
    std::uint64_t length = header.number<std::uint32_t>();
    entry_place place;
    place.wide = length == UINT32_MAX;
    if (place.wide) length = header.number<std::uint64_t>();
    if (header.failed() || length > header.left()) return std::nullopt;
    byte_reader reader(bytes_.first(header.offset() + static_cast<std::size_t>(length)),
                       header.offset());
    if (identifier(place, reader) != no_offset) return std::nullopt;
    return common_body(reader);
  }

  std::optional<common_entry> common_body(byte_reader& reader) const {
    common_entry entry;
    const auto version = reader.number<std::uint8_t>();
    if (version != 1 && version != 3 && version != 4) return std::nullopt;
    const std::string_view augmentation = text(reader);
    if (version == 4) {
      const auto address_bytes = reader.number<std::uint8_t>();
      const auto segment_bytes = reader.number<std::uint8_t>();
      if (address_bytes != sizeof(std::uint64_t) || segment_bytes != 0) return std::nullopt;
    }
    if (augmentation == "eh") reader.number<std::uint64_t>();  // written by GCC 2
    entry.code_alignment = reader.uleb128();
    entry.data_alignment = reader.sleb128();
    entry.return_column = version == 1 ? reader.number<std::uint8_t>() : reader.uleb128();
    if (!augmentation.empty() && augmentation != "eh" && !augment(entry, augmentation, reader)) {
      return std::nullopt;
    }
    if (reader.failed()) return std::nullopt;
    entry.instructions = reader.take(reader.left());
    return entry;
  }

  bool augment(common_entry& entry, std::string_view augmentation, byte_reader& reader) const {
    if (augmentation.front() == 'z') {
      entry.has_augmentation_size = true;
      augmentation.remove_prefix(1);
      const auto inner = reader.take(reader.uleb128());
      if (reader.failed()) return false;
      // The size field allows skipping the data of unknown letters.
      byte_reader letters(inner);
      const auto start = static_cast<std::uint64_t>(inner.data() - bytes_.data());
      augment_letters(entry, augmentation, letters, start);
      return !letters.failed();
    }
    return augment_letters(entry, augmentation, reader, 0) && !reader.failed();
  }

  // Returns false at an unknown letter. An invalid pointer makes the reader fail.
  bool augment_letters(common_entry& entry, std::string_view letters, byte_reader& reader,
                       std::uint64_t start) const {
    for (const char letter : letters) {
      switch (letter) {
        case 'R':
          entry.pointer_encoding = reader.number<std::uint8_t>();
          break;
        case 'L':
          reader.number<std::uint8_t>();
          break;
        case 'P': {
          const auto encoding = reader.number<std::uint8_t>();
          auto bases = bases_;
          bases.section += start;
          // The personality routine is not needed, so an indirect pointer is not followed.
          const auto plain = static_cast<std::uint8_t>(encoding & 0x7fU);
          if (encoding != pointer_omitted && !read_pointer(reader, plain, bases, image_)) {
            reader.take(reader.left() + 1);
          }
          break;
        }
        case 'S':
          entry.is_signal_frame = true;
          break;
        case 'B':
        case 'G':
          break;  // arm64: B key, tagged memory; no data
        default:
          return false;
      }
    }
    return true;
  }

  static std::string_view text(byte_reader& reader) {
    byte_reader ahead = reader;
    const auto bytes = ahead.take(std::min(ahead.left(), max_letters));
    const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
    const auto length = static_cast<std::size_t>(end - bytes.begin());
    reader.take(length + 1);
    return {reinterpret_cast<const char*>(bytes.data()), length};
  }

  // Returns false if the entry is invalid.
  bool read_function(std::uint64_t common_offset, byte_reader& reader) {
    const auto common = common_at(common_offset);
    if (!common) return false;
    const common_entry& entry = result_.commons[*common];
    const auto start = read_pointer(reader, entry.pointer_encoding, bases_, image_);
    const auto size = read_plain(reader, entry.pointer_encoding);
    if (entry.has_augmentation_size) reader.take(reader.uleb128());
    if (!start || !size || reader.failed() || *start > UINT64_MAX - *size) return false;
    // The linker leaves entries of discarded code at address 0 or with length 0.
    if (*start == 0 || *size == 0 || !image_.executable(*start)) return true;
    const std::uint64_t place = reader.offset();
    const auto instructions = reader.take(reader.left());
    result_.functions.push_back({.start = *start,
                                 .end = *start + *size,
                                 .instructions = instructions,
                                 .instructions_address = bases_.section + place,
                                 .common = *common});
    return true;
  }

  const elf_image& image_;
  std::span<const std::byte> bytes_;
  frame_format format_;
  pointer_bases bases_;
  frame_entries result_;
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> by_offset_;
  std::uint64_t last_offset_ = no_offset;
  std::optional<std::uint32_t> last_;
};

}  // namespace

frame_entries read_frame_entries(const elf_image& image, const section_bytes& section,
                                 frame_format format, bool unbounded) {
  return entry_reader(image, section, format).read(unbounded);
}

std::optional<std::uint64_t> frame_address(const elf_image& image, std::uint64_t header_address) {
  const auto header = image.loaded(header_address, 16);
  if (!header) return std::nullopt;
  byte_reader reader(header->bytes);
  const auto version = reader.number<std::uint8_t>();
  const auto encoding = reader.number<std::uint8_t>();
  reader.number<std::uint16_t>();  // encodings of the search table, which is not used
  pointer_bases bases;
  bases.section = header_address;
  bases.global_offsets = header_address;
  const auto address = read_pointer(reader, encoding, bases, image);
  if (version != 1 || reader.failed()) return std::nullopt;
  return address;
}

}  // namespace stallscope::unwind
