#include "dwarf/line_program.hpp"

#include <algorithm>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

enum class standard_opcode : std::uint8_t {
  extended = 0x00,
  copy = 0x01,
  advance_pc = 0x02,
  advance_line = 0x03,
  set_file = 0x04,
  set_column = 0x05,
  negate_statement = 0x06,
  set_basic_block = 0x07,
  const_add_pc = 0x08,
  fixed_advance_pc = 0x09,
  set_prologue_end = 0x0a,
  set_epilogue_begin = 0x0b,
  set_isa = 0x0c,
};

enum class extended_opcode : std::uint8_t {
  end_sequence = 0x01,
  set_address = 0x02,
};

class line_machine {
 public:
  line_machine(const line_header& header, std::span<const std::uint64_t> addresses)
      : header_{header}, addresses_{addresses}, rows_(addresses.size()) {}

  // Throws malformed; the rows that were found stay.
  void run() {
    byte_reader reader(header_.program);
    while (!reader.at_end()) {
      const auto opcode = reader.number<std::uint8_t>();
      if (opcode >= header_.opcode_base) {
        const unsigned adjusted = opcode - unsigned{header_.opcode_base};
        advance(adjusted / header_.line_range);
        line_ += static_cast<std::uint32_t>(int{header_.line_base} +
                                            static_cast<int>(adjusted % header_.line_range));
        add_row();
      } else if (opcode == 0) {
        run_extended(reader);
      } else {
        run_standard(reader, opcode);
      }
    }
    if (reader.failed()) throw malformed("a line table that ends in an instruction");
  }

  std::vector<line_row> rows() && { return std::move(rows_); }

 private:
  void run_standard(byte_reader& reader, std::uint8_t opcode) {
    switch (static_cast<standard_opcode>(opcode)) {
      case standard_opcode::copy:
        add_row();
        break;
      case standard_opcode::advance_pc:
        advance(reader.uleb128());
        break;
      case standard_opcode::advance_line:
        line_ += static_cast<std::uint32_t>(reader.sleb128());
        break;
      case standard_opcode::set_file:
        file_ = reader.uleb128();
        break;
      case standard_opcode::const_add_pc:
        advance((255U - header_.opcode_base) / header_.line_range);
        break;
      case standard_opcode::fixed_advance_pc:
        address_ += reader.number<std::uint16_t>();
        operation_ = 0;
        break;
      default:
        for (unsigned count = header_.operand_counts[opcode - 1U]; count > 0; --count) {
          reader.uleb128();
        }
    }
  }

  void run_extended(byte_reader& reader) {
    const std::uint64_t length = reader.uleb128();
    const std::size_t start = reader.offset();
    if (length == 0 || length > reader.left()) {
      throw malformed("a line table that ends in an instruction");
    }
    const auto opcode = static_cast<extended_opcode>(reader.number<std::uint8_t>());
    if (opcode == extended_opcode::end_sequence) {
      end_sequence();
    } else if (opcode == extended_opcode::set_address) {
      address_ = read_number(reader, static_cast<unsigned>(std::min<std::uint64_t>(length - 1, 8)));
      operation_ = 0;
    }
    reader = byte_reader(header_.program, start + static_cast<std::size_t>(length));
  }

  void advance(std::uint64_t operations) {
    const std::uint64_t width = header_.operations_per_instruction;
    if (width == 1) {
      address_ += header_.instruction_bytes * operations;
      return;
    }
    const std::uint64_t total = operation_ + operations;
    address_ += header_.instruction_bytes * (total / width);
    operation_ = total % width;
  }

  // Assigns the row before to the addresses from it to the current address.
  void add_row() {
    close_row();
    open_ = true;
    row_address_ = address_;
    row_ = {file_, line_};
  }

  void close_row() {
    if (!open_ || address_ <= row_address_) return;
    // Most rows follow the one before; then the next address is known.
    if ((next_ < addresses_.size() && addresses_[next_] < row_address_) ||
        (next_ > 0 && addresses_[next_ - 1] >= row_address_)) {
      next_ = static_cast<std::size_t>(
          std::lower_bound(addresses_.begin(), addresses_.end(), row_address_) -
          addresses_.begin());
    }
    for (; next_ < addresses_.size() && addresses_[next_] < address_; ++next_) {
      rows_[next_] = row_;
    }
  }

  void end_sequence() {
    close_row();
    open_ = false;
    address_ = 0;
    operation_ = 0;
    file_ = 1;
    line_ = 1;
  }

  const line_header& header_;
  std::span<const std::uint64_t> addresses_;
  std::vector<line_row> rows_;
  std::size_t next_ = 0;  // the first address that a row may have
  // The registers of the machine.
  std::uint64_t address_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
  // The last row.
  bool open_ = false;
  std::uint64_t row_address_ = 0;
  line_row row_;
};

}  // namespace

std::vector<line_row> find_lines(const line_header& header,
                                 std::span<const std::uint64_t> addresses, bool& damaged) {
  line_machine machine(header, addresses);
  try {
    machine.run();
  } catch (const malformed&) {
    damaged = true;
  }
  return std::move(machine).rows();
}

}  // namespace stallscope::dwarf
