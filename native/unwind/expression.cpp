#include "unwind/expression.hpp"

#include <array>

#include "base/byte_reader.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::size_t max_depth = 64;

enum operation : std::uint8_t {
  addr = 0x03,
  deref = 0x06,
  const1u = 0x08,
  const1s = 0x09,
  const2u = 0x0a,
  const2s = 0x0b,
  const4u = 0x0c,
  const4s = 0x0d,
  const8u = 0x0e,
  const8s = 0x0f,
  constu = 0x10,
  consts = 0x11,
  dup = 0x12,
  drop = 0x13,
  over = 0x14,
  pick = 0x15,
  swap = 0x16,
  rot = 0x17,
  absolute = 0x19,
  bit_and = 0x1a,
  divide = 0x1b,
  minus = 0x1c,
  modulo = 0x1d,
  multiply = 0x1e,
  negate = 0x1f,
  bit_not = 0x20,
  bit_or = 0x21,
  plus = 0x22,
  plus_uconst = 0x23,
  shl = 0x24,
  shr = 0x25,
  shra = 0x26,
  bit_xor = 0x27,
  bra = 0x28,
  eq = 0x29,
  ge = 0x2a,
  gt = 0x2b,
  le = 0x2c,
  lt = 0x2d,
  ne = 0x2e,
  skip = 0x2f,
  lit0 = 0x30,
  lit31 = 0x4f,
  breg0 = 0x70,
  breg31 = 0x8f,
  bregx = 0x92,
  deref_size = 0x94,
  nop = 0x96,
};

template <typename Number>
std::uint64_t extended(byte_reader& reader) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(reader.number<Number>()));
}

class evaluation {
 public:
  evaluation(std::span<const std::byte> expression, const expression_frame& frame,
             std::uint64_t& unread)
      : expression_{expression}, reader_{expression}, frame_{frame}, unread_{unread} {}

  std::optional<std::uint64_t> run(std::optional<std::uint64_t> initial) {
    if (initial) push(*initial);
    while (!reader_.at_end()) {
      if (frame_.steps_left == 0) return std::nullopt;
      --frame_.steps_left;
      step(reader_.number<std::uint8_t>());
      if (failed_ || reader_.failed()) return std::nullopt;
    }
    if (reader_.failed() || depth_ == 0) return std::nullopt;
    return values_[depth_ - 1];
  }

 private:
  void push(std::uint64_t value) noexcept {
    if (depth_ == max_depth) {
      failed_ = true;
      return;
    }
    values_[depth_++] = value;
  }
  std::uint64_t pop() noexcept {
    if (depth_ == 0) {
      failed_ = true;
      return 0;
    }
    return values_[--depth_];
  }
  void copy(std::size_t below) noexcept {
    if (below >= depth_) {
      failed_ = true;
      return;
    }
    push(values_[depth_ - 1 - below]);
  }

  void step(std::uint8_t code) noexcept {
    if (code >= lit0 && code <= lit31) {
      push(code - lit0);
    } else if (code >= breg0 && code <= breg31) {
      register_plus(code - breg0);
    } else if (code == bregx) {
      register_plus(reader_.uleb128());
    } else if (code == deref || code == deref_size) {
      dereference(code == deref ? sizeof(std::uint64_t) : reader_.number<std::uint8_t>());
    } else if (code == bra || code == skip) {
      jump(code);
    } else if (code >= addr && code <= consts) {
      constant(code);
    } else if (code >= dup && code <= rot) {
      shuffle(code);
    } else if (code == absolute || code == negate || code == bit_not || code == plus_uconst) {
      unary(code);
    } else if (code >= bit_and && code <= ne) {
      binary(code);
    } else if (code != nop) {
      failed_ = true;
    }
  }

  void register_plus(std::uint64_t number) noexcept {
    const auto offset = static_cast<std::uint64_t>(reader_.sleb128());
    const auto narrow =
        static_cast<unsigned>(number < registers::count ? number : registers::count);
    if (!frame_.values.known(narrow)) {
      failed_ = true;
      return;
    }
    push(frame_.values.at(narrow) + offset);
  }

  void dereference(std::size_t count) noexcept {
    const std::uint64_t address = pop();
    std::uint64_t value = 0;
    if (count == 0 || count > sizeof value) {
      failed_ = true;
    } else if (!failed_ && !frame_.stack.read(address, value, count)) {
      unread_ = address;
      failed_ = true;
    }
    push(value);
  }

  void jump(std::uint8_t code) noexcept {
    const auto distance = reader_.number<std::int16_t>();
    if (code == bra && pop() == 0) return;
    // Restart the reader at the target. A target before the first byte wraps past the end and
    // fails.
    reader_ = byte_reader(expression_, reader_.offset() + static_cast<std::size_t>(distance));
  }

  void constant(std::uint8_t code) noexcept {
    switch (code) {
      case addr:
        return push(reader_.number<std::uint64_t>() + frame_.load_bias);
      case const1u:
        return push(reader_.number<std::uint8_t>());
      case const1s:
        return push(extended<std::int8_t>(reader_));
      case const2u:
        return push(reader_.number<std::uint16_t>());
      case const2s:
        return push(extended<std::int16_t>(reader_));
      case const4u:
        return push(reader_.number<std::uint32_t>());
      case const4s:
        return push(extended<std::int32_t>(reader_));
      case const8u:
      case const8s:
        return push(reader_.number<std::uint64_t>());
      case constu:
        return push(reader_.uleb128());
      case consts:
        return push(static_cast<std::uint64_t>(reader_.sleb128()));
      default:
        failed_ = true;
    }
  }

  void shuffle(std::uint8_t code) noexcept {
    switch (code) {
      case dup:
        return copy(0);
      case drop:
        pop();
        return;
      case over:
        return copy(1);
      case pick:
        return copy(reader_.number<std::uint8_t>());
      case swap: {
        const std::uint64_t top = pop();
        const std::uint64_t second = pop();
        push(top);
        return push(second);
      }
      case rot: {
        const std::uint64_t top = pop();
        const std::uint64_t second = pop();
        const std::uint64_t third = pop();
        push(top);
        push(third);
        return push(second);
      }
      default:
        failed_ = true;
    }
  }

  void unary(std::uint8_t code) noexcept {
    const std::uint64_t value = pop();
    switch (code) {
      case absolute:
        return push(static_cast<std::int64_t>(value) < 0 ? 0 - value : value);
      case negate:
        return push(0 - value);
      case bit_not:
        return push(~value);
      default:
        return push(value + reader_.uleb128());
    }
  }

  void binary(std::uint8_t code) noexcept {
    const std::uint64_t right = pop();
    const std::uint64_t left = pop();
    const auto signed_left = static_cast<std::int64_t>(left);
    const auto signed_right = static_cast<std::int64_t>(right);
    switch (code) {
      case bit_and:
        return push(left & right);
      case divide:
        return push_quotient(signed_left, signed_right);
      case minus:
        return push(left - right);
      case modulo:
        if (right == 0) failed_ = true;
        return push(right == 0 ? 0 : left % right);
      case multiply:
        return push(left * right);
      case bit_or:
        return push(left | right);
      case plus:
        return push(left + right);
      case shl:
        return push(right < 64 ? left << right : 0);
      case shr:
        return push(right < 64 ? left >> right : 0);
      case shra:
        return push(static_cast<std::uint64_t>(signed_left >> (right < 64 ? right : 63)));
      case bit_xor:
        return push(left ^ right);
      case eq:
        return push(left == right);
      case ge:
        return push(signed_left >= signed_right);
      case gt:
        return push(signed_left > signed_right);
      case le:
        return push(signed_left <= signed_right);
      case lt:
        return push(signed_left < signed_right);
      case ne:
        return push(left != right);
      default:
        failed_ = true;
    }
  }

  void push_quotient(std::int64_t left, std::int64_t right) noexcept {
    if (right == 0) {
      failed_ = true;
    } else if (right == -1) {
      push(0 - static_cast<std::uint64_t>(left));  // the smallest number divided by -1 would trap
    } else {
      push(static_cast<std::uint64_t>(left / right));
    }
  }

  std::span<const std::byte> expression_;
  byte_reader reader_;
  const expression_frame& frame_;
  std::uint64_t& unread_;
  std::array<std::uint64_t, max_depth> values_{};
  std::size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::uint64_t> evaluate(std::span<const std::byte> expression,
                                      const expression_frame& frame,
                                      std::optional<std::uint64_t> initial, std::uint64_t& unread) {
  return evaluation(expression, frame, unread).run(initial);
}

}  // namespace stallscope::unwind
