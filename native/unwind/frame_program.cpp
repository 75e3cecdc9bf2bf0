#include "unwind/frame_program.hpp"

#include <algorithm>

#include "unwind/encoded_pointer.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::size_t max_saved_states = 256;

enum instruction : std::uint8_t {
  nop = 0x00,
  set_loc = 0x01,
  advance_loc1 = 0x02,
  advance_loc2 = 0x03,
  advance_loc4 = 0x04,
  offset_extended = 0x05,
  restore_extended = 0x06,
  undefined = 0x07,
  same_value = 0x08,
  in_register = 0x09,
  remember_state = 0x0a,
  restore_state_now = 0x0b,
  def_cfa = 0x0c,
  def_cfa_register = 0x0d,
  def_cfa_offset = 0x0e,
  def_cfa_expression = 0x0f,
  at_expression = 0x10,
  offset_extended_sf = 0x11,
  def_cfa_sf = 0x12,
  def_cfa_offset_sf = 0x13,
  val_offset = 0x14,
  val_offset_sf = 0x15,
  val_expression = 0x16,
  mips_advance_loc8 = 0x1d,
  aarch64_negate_ra_state_with_pc = 0x2c,
  aarch64_negate_ra_state = 0x2d,
  gnu_args_size = 0x2e,
  gnu_negative_offset_extended = 0x2f,
  // Opcode in the upper two bits, operand in the lower six.
  advance_loc = 0x40,
  offset = 0x80,
  restore = 0xc0,
};

bool fits(std::int64_t value) noexcept { return value >= INT32_MIN && value <= INT32_MAX; }

}  // namespace

frame_program::frame_program(const elf_image& image, row_writer& into, std::uint64_t max_bytes)
    : image_{image},
      into_{into},
      arch_{image.arch()},
      tracked_{arch_ == architecture::x86_64 ? x86_64::rip + 1 : registers::count},
      bytes_left_{max_bytes} {}

bool frame_program::run(const function_entry& function, const common_entry& common,
                        std::uint64_t from, std::uint64_t to) {
  common_ = &common;
  if (common.return_column >= tracked_) return false;
  saved_states_.clear();
  if (initial_owner_ != &common) {
    initial_owner_ = nullptr;
    state_ = {};
    initial_ = {};
    location_ = from_ = to_ = 0;  // a CIE has no addresses and no rows
    if (!execute(common.instructions) || location_ != 0) return false;
    initial_ = state_;
    initial_owner_ = &common;
  }
  state_ = initial_;
  location_ = function_start_ = function.start;
  instructions_address_ = function.instructions_address;
  from_ = from;
  to_ = to;
  totals_before_ = totals_;
  const auto mark = into_.here();
  if (execute(function.instructions) && state_.has_cfa && emit(to)) return true;
  into_.roll_back(mark);
  totals_ = totals_before_;
  return false;
}

bool frame_program::execute(std::span<const std::byte> instructions) {
  if (instructions.size() > bytes_left_) return false;
  bytes_left_ -= instructions.size();
  byte_reader reader(instructions);
  while (!reader.at_end()) {
    if (!step(reader) || reader.failed()) return false;
  }
  return !reader.failed();
}

bool frame_program::step(byte_reader& reader) {
  const auto code = reader.number<std::uint8_t>();
  const std::uint64_t operand = code & 0x3fU;
  switch (code & 0xc0U) {
    case advance_loc:
      return advance(operand);
    case offset:
      return set(operand, recovery::at_offset,
                 factored(static_cast<std::int64_t>(reader.uleb128())));
    case restore:
      return restore_column(operand);
    default:
      return extended_step(code, reader);
  }
}

bool frame_program::extended_step(std::uint8_t code, byte_reader& reader) {
  switch (code) {
    case nop:
    case aarch64_negate_ra_state:  // the signature is removed from every address
    case aarch64_negate_ra_state_with_pc:
      return true;
    case gnu_args_size:
      reader.uleb128();
      return true;
    case remember_state:
      if (saved_states_.size() >= max_saved_states) return false;
      saved_states_.push_back(state_);
      return true;
    case restore_state_now:
      return restore_state();
    case set_loc:
    case advance_loc1:
    case advance_loc2:
    case advance_loc4:
    case mips_advance_loc8:
      return location_step(code, reader);
    case def_cfa:
    case def_cfa_sf:
    case def_cfa_register:
    case def_cfa_offset:
    case def_cfa_offset_sf:
    case def_cfa_expression:
      return cfa_step(code, reader);
    default:
      return register_step(code, reader);
  }
}

bool frame_program::location_step(std::uint8_t code, byte_reader& reader) {
  switch (code) {
    case advance_loc1:
      return advance(reader.number<std::uint8_t>());
    case advance_loc2:
      return advance(reader.number<std::uint16_t>());
    case advance_loc4:
      return advance(reader.number<std::uint32_t>());
    case mips_advance_loc8:
      return advance(reader.number<std::uint64_t>());
    default: {
      const auto address = read_pointer(reader, common_->pointer_encoding,
                                        {.section = instructions_address_}, image_);
      return address && move_to(*address);
    }
  }
}

bool frame_program::cfa_step(std::uint8_t code, byte_reader& reader) {
  switch (code) {
    case def_cfa: {
      const auto number = reader.uleb128();
      return define_cfa(number, static_cast<std::int64_t>(reader.uleb128()));
    }
    case def_cfa_sf: {
      const auto number = reader.uleb128();
      return define_cfa(number, factored(reader.sleb128()));
    }
    case def_cfa_register:
      return state_.cfa_register != rule::by_expression &&
             define_cfa(reader.uleb128(), state_.cfa_offset);
    case def_cfa_offset:
      return define_cfa(state_.cfa_register, static_cast<std::int64_t>(reader.uleb128()));
    case def_cfa_offset_sf:
      return define_cfa(state_.cfa_register, factored(reader.sleb128()));
    default: {
      const auto place = into_.pool().offset_of(reader.take(reader.uleb128()));
      state_.cfa_register = rule::by_expression;
      state_.cfa_offset = place;
      state_.has_cfa = true;
      return place >= 0;
    }
  }
}

bool frame_program::register_step(std::uint8_t code, byte_reader& reader) {
  const std::uint64_t number = reader.uleb128();
  const auto unsigned_offset = [&] {
    return factored(static_cast<std::int64_t>(reader.uleb128()));
  };
  switch (code) {
    case restore_extended:
      return restore_column(number);
    case undefined:
      return set(number, recovery::undefined, 0);
    case same_value:
      return set(number, recovery::same, 0);
    case in_register: {
      const std::uint64_t holder = reader.uleb128();
      return holder < tracked_
                 ? set(number, recovery::in_register, static_cast<std::int64_t>(holder))
                 : set(number, recovery::undefined, 0);
    }
    case offset_extended:
      return set(number, recovery::at_offset, unsigned_offset());
    case offset_extended_sf:
      return set(number, recovery::at_offset, factored(reader.sleb128()));
    case gnu_negative_offset_extended:
      return set(number, recovery::at_offset, -unsigned_offset());
    case val_offset:
      return set(number, recovery::is_offset, unsigned_offset());
    case val_offset_sf:
      return set(number, recovery::is_offset, factored(reader.sleb128()));
    case at_expression:
    case val_expression: {
      const auto place = into_.pool().offset_of(reader.take(reader.uleb128()));
      const auto how = code == at_expression ? recovery::at_expression : recovery::is_expression;
      return place >= 0 && set(number, how, place);
    }
    default:
      return false;
  }
}

std::int64_t frame_program::factored(std::int64_t count) const noexcept {
  std::int64_t result = 0;
  // `set` and `define_cfa` reject INT64_MAX, the result of an overflow.
  return __builtin_mul_overflow(count, common_->data_alignment, &result) || result == INT64_MIN
             ? INT64_MAX
             : result;
}

bool frame_program::define_cfa(std::uint64_t number, std::int64_t offset) {
  if (number >= tracked_ || !fits(offset)) return false;
  state_.cfa_register = static_cast<std::uint8_t>(number);
  state_.cfa_offset = static_cast<std::int32_t>(offset);
  state_.has_cfa = true;
  return true;
}

bool frame_program::set(std::uint64_t number, recovery how, std::int64_t value) {
  if (number >= tracked_) return true;  // not needed for unwinding
  if (!fits(value)) return false;
  state_.set(static_cast<unsigned>(number),
             {.value = static_cast<std::int32_t>(value), .how = how});
  return true;
}

bool frame_program::restore_column(std::uint64_t number) {
  if (number >= tracked_) return true;
  const auto& column = initial_.at(static_cast<unsigned>(number));
  return set(number, column.how, column.value);
}

bool frame_program::restore_state() {
  if (saved_states_.empty()) return false;
  state_ = saved_states_.back();
  saved_states_.pop_back();
  return true;
}

bool frame_program::advance(std::uint64_t delta) {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  if (__builtin_mul_overflow(delta, common_->code_alignment, &bytes) ||
      __builtin_add_overflow(location_, bytes, &address)) {
    return false;
  }
  return move_to(address);
}

bool frame_program::move_to(std::uint64_t address) {
  if (address < location_) return false;
  if (address > location_ && !state_.has_cfa) return false;
  if (!emit(address)) return false;
  location_ = address;
  return true;
}

// Writes the row of the current state, from the current location to `end`. Returns false if the
// pool is full.
bool frame_program::emit(std::uint64_t end) {
  const std::uint64_t start = std::max(location_, from_);
  end = std::min(end, to_);
  if (start >= end) return true;
  if (location_ != function_start_ && state_.cfa_register != rule::by_expression) {
    totals_.described += end - start;
    if (by_frame_pointer()) totals_.by_frame_pointer += end - start;
  }
  const auto column = static_cast<std::uint8_t>(common_->return_column);
  const std::uint32_t number = into_.pool().number_of(state_, column, common_->is_signal_frame);
  if (number == 0) return false;
  into_.write(start, end, number);
  return true;
}

// x86-64: the CFA is relative to rbp, and the caller's rbp is saved. arm64: the frame record (x29,
// then x30) is on the stack; the ABI requires x29 to point to it.
bool frame_program::by_frame_pointer() const noexcept {
  if (arch_ == architecture::x86_64) {
    return state_.cfa_register == x86_64::rbp && state_.at(x86_64::rbp).how == recovery::at_offset;
  }
  const auto& fp = state_.at(arm64::fp);
  const auto& lr = state_.at(arm64::lr);
  return fp.how == recovery::at_offset && lr.how == recovery::at_offset &&
         std::int64_t{lr.value} - fp.value == 8;
}

double frame_program::frame_pointer_share() const noexcept {
  return totals_.described == 0 ? 0
                                : static_cast<double>(totals_.by_frame_pointer) /
                                      static_cast<double>(totals_.described);
}

}  // namespace stallscope::unwind
