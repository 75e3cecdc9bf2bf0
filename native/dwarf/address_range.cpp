#include "dwarf/address_range.hpp"

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t max_ranges = std::size_t{1} << 20U;  // of a list

// Kinds of entries of .debug_rnglists.
enum class range_entry : std::uint8_t {
  end_of_list = 0x00,
  base_addressx = 0x01,
  startx_endx = 0x02,
  startx_length = 0x03,
  offset_pair = 0x04,
  base_address = 0x05,
  start_end = 0x06,
  start_length = 0x07,
};

class range_list {
 public:
  range_list(sections& from, const unit& owner, std::vector<address_range>& into)
      : from_{from}, owner_{owner}, into_{into} {
    if (owner.low_pc) base_ = address_of(from, owner, *owner.low_pc);
  }

  // A list of .debug_ranges.
  void read_pairs(std::uint64_t offset) {
    const unsigned size = owner_.header.format.address_size;
    const std::uint64_t largest = size == 4 ? UINT32_MAX : UINT64_MAX;
    for (std::size_t count = 0; count < max_ranges; ++count) {
      const std::uint64_t begin = from_.ranges.number(offset, size);
      const std::uint64_t end = from_.ranges.number(offset + size, size);
      offset += std::uint64_t{2} * size;
      if (begin == 0 && end == 0) return;
      if (begin == largest) {
        base_ = end;
      } else {
        add(base_ + begin, base_ + end);
      }
    }
    throw malformed("a list of ranges without an end");
  }

  // A list of .debug_rnglists.
  void read_entries(std::uint64_t offset) {
    // Lists are short; a few bytes of a large section are enough.
    for (std::uint64_t limit = 256;; limit *= 16) {
      const std::uint64_t size = from_.rnglists.size();
      if (offset >= size) throw malformed("a list of ranges outside its section");
      const std::uint64_t count = limit < size - offset ? limit : size - offset;
      const std::size_t before = into_.size();
      const std::uint64_t base = base_;
      byte_reader reader(from_.rnglists.bytes(offset, count));
      if (read_entries(reader)) return;
      if (count == size - offset) throw malformed("a list of ranges without an end");
      into_.resize(before);
      base_ = base;
    }
  }

 private:
  bool read_entries(byte_reader& reader) {
    for (std::size_t count = 0; count < max_ranges; ++count) {
      const auto kind = static_cast<range_entry>(reader.number<std::uint8_t>());
      if (reader.failed()) return false;
      if (kind == range_entry::end_of_list) return true;
      read_entry(reader, kind);
    }
    throw malformed("a list of ranges without an end");
  }

  void read_entry(byte_reader& reader, range_entry kind) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    switch (kind) {
      case range_entry::base_addressx:
        first = indexed(reader);
        if (!reader.failed()) base_ = first;
        return;
      case range_entry::base_address:
        first = plain(reader);
        if (!reader.failed()) base_ = first;
        return;
      case range_entry::startx_endx:
        first = indexed(reader);
        second = indexed(reader);
        break;
      case range_entry::startx_length:
        first = indexed(reader);
        second = first + reader.uleb128();
        break;
      case range_entry::offset_pair:
        first = base_ + reader.uleb128();
        second = base_ + reader.uleb128();
        break;
      case range_entry::start_end:
        first = plain(reader);
        second = plain(reader);
        break;
      case range_entry::start_length:
        first = plain(reader);
        second = first + reader.uleb128();
        break;
      default:
        throw malformed("an unknown entry in a list of ranges");
    }
    if (!reader.failed()) add(first, second);
  }

  std::uint64_t plain(byte_reader& reader) {
    return read_number(reader, owner_.header.format.address_size);
  }
  std::uint64_t indexed(byte_reader& reader) {
    const std::uint64_t index = reader.uleb128();
    if (reader.failed()) return 0;
    return address_of(from_, owner_, {form::addrx, index, {}});
  }
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) into_.push_back({begin, end});
  }

  sections& from_;
  const unit& owner_;
  std::vector<address_range>& into_;
  std::uint64_t base_ = 0;
};

// The offset of a list of .debug_rnglists with this index.
std::uint64_t list_offset(sections& from, const unit& owner, std::uint64_t index) {
  const unsigned size = owner.header.format.offset_size;
  const std::uint64_t base = owner.rnglists_base;
  if (index > UINT32_MAX || base > from.rnglists.size()) throw malformed("an impossible index");
  return base + from.rnglists.number(base + index * size, size);
}

}  // namespace

void append_ranges(sections& from, const unit& owner, const code_attributes& code,
                   std::vector<address_range>& into) {
  if (code.low_pc && code.high_pc) {
    const std::uint64_t begin = address_of(from, owner, *code.low_pc);
    const bool is_address =
        code.high_pc->kind == form::addr ||
        (code.high_pc->kind >= form::addrx1 && code.high_pc->kind <= form::addrx4) ||
        code.high_pc->kind == form::addrx || code.high_pc->kind == form::gnu_addr_index;
    const std::uint64_t end =
        is_address ? address_of(from, owner, *code.high_pc) : begin + code.high_pc->number;
    if (begin < end) into.push_back({begin, end});
    return;
  }
  if (!code.ranges) return;
  range_list list(from, owner, into);
  if (owner.header.format.version < 5) {
    list.read_pairs(code.ranges->number);
  } else if (code.ranges->kind == form::rnglistx) {
    list.read_entries(list_offset(from, owner, code.ranges->number));
  } else {
    list.read_entries(code.ranges->number);
  }
}

}  // namespace stallscope::dwarf
