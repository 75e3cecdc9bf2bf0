// Steps to the caller with a rule of the call frame information.
#include "unwind/cursor.hpp"
#include "unwind/expression.hpp"

namespace stallscope::unwind {
namespace {

class rule_step {
 public:
  // `before`: the registers of the frame. If the rule reads no registers, this may be the cursor's
  // set, which the step modifies.
  rule_step(cursor& at, const applied_rule& frame_rule, const registers& before)
      : at_{at}, frame_rule_{frame_rule}, before_{before}, sp_{at.values.at(at.sp())} {}

  // On failure some registers may be modified already.
  std::optional<chain_end> run() {
    if (const auto end = find_cfa()) return end;
    if (const auto end = check_progress()) return end;
    at_.values.set(at_.sp(), cfa_);
    for (const saved_register& reg : frame_rule_.content->saved_by(*frame_rule_.definition)) {
      // Fast path: almost all registers are recovered from the stack.
      std::uint64_t value = 0;
      if (reg.how == recovery::at_offset && at_.stack.read(saved_at(reg), value)) {
        at_.values.set(reg.number, value);
        return_recovered_ =
            return_recovered_ || reg.number == frame_rule_.definition->return_column;
      } else {
        recover(reg);
      }
    }
    return arrive();
  }

 private:
  [[nodiscard]] expression_frame frame() const {
    return {.values = before_,
            .stack = at_.stack,
            .steps_left = at_.expression_steps_left,
            .load_bias = frame_rule_.load_bias};
  }

  std::optional<chain_end> find_cfa() {
    const rule& how = *frame_rule_.definition;
    if (how.cfa_register != rule::by_expression) {
      if (!at_.values.known(how.cfa_register)) return chain_end::bad_frame;
      cfa_ = at_.values.at(how.cfa_register) +
             static_cast<std::uint64_t>(std::int64_t{how.cfa_offset});
      if (how.cfa_register == at_.sp() && at_.by_record) cfa_ = cfa_by_record().value_or(cfa_);
      return std::nullopt;
    }
    const auto value =
        evaluate(frame_rule_.content->expression(how.cfa_offset), frame(), std::nullopt, unread_);
    if (!value) return unread_ != 0 ? at_.missing_reason(unread_) : chain_end::bad_frame;
    cfa_ = *value;
    return std::nullopt;
  }

  // Behind code without a table the stack pointer is known on arm64 only as the lowest possible: a
  // frame record may lie anywhere in its frame. That of this frame is at the frame pointer, and
  // the rule says where it is.
  [[nodiscard]] std::optional<std::uint64_t> cfa_by_record() const {
    if (at_.arch != architecture::arm64 || !at_.values.known(arm64::fp)) return std::nullopt;
    std::optional<std::int32_t> fp_offset;
    std::optional<std::int32_t> return_offset;
    for (const auto& reg : frame_rule_.content->saved_by(*frame_rule_.definition)) {
      if (reg.how != recovery::at_offset) continue;
      if (reg.number == arm64::fp) fp_offset = reg.value;
      if (reg.number == arm64::lr) return_offset = reg.value;
    }
    constexpr std::int32_t word_bytes = 8;
    if (!fp_offset || return_offset != *fp_offset + word_bytes) return std::nullopt;
    const std::uint64_t cfa =
        at_.values.at(arm64::fp) - static_cast<std::uint64_t>(std::int64_t{*fp_offset});
    return cfa >= cfa_ ? std::optional{cfa} : std::nullopt;
  }

  // A caller's frame is above its callee's. Only code without stack use (a leaf, or assembly called
  // by a leaf) has its CFA at the stack pointer.
  std::optional<chain_end> check_progress() {
    if (frame_rule_.definition->is_signal_frame != 0) return std::nullopt;
    if (cfa_ < sp_) {
      const bool elsewhere = at_.missing_reason(cfa_) == chain_end::other_stack;
      return elsewhere ? chain_end::other_stack : chain_end::bad_frame;
    }
    at_.unmoved_steps = cfa_ == sp_ ? at_.unmoved_steps + 1 : 0;
    if (at_.unmoved_steps > 2) return chain_end::bad_frame;
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t saved_at(const saved_register& reg) const {
    return cfa_ + static_cast<std::uint64_t>(std::int64_t{reg.value});
  }

  void recover(const saved_register& reg) {
    const auto value = value_of(reg);
    const bool is_return = reg.number == frame_rule_.definition->return_column;
    if (value) {
      at_.values.set(reg.number, *value);
    } else if (was_popped(reg)) {
      // After the pop the register has the caller's value again, but compilers keep the rule.
    } else {
      at_.values.forget(reg.number);
      if (is_return) return_end_ = why_lost(reg);
    }
    return_recovered_ = return_recovered_ || is_return;
  }

  [[nodiscard]] bool was_popped(const saved_register& reg) const {
    return reg.how == recovery::at_offset && unread_ != 0 && unread_ < sp_ &&
           reg.number != frame_rule_.definition->return_column;
  }

  [[nodiscard]] chain_end why_lost(const saved_register& reg) const {
    if (reg.how == recovery::undefined) return chain_end::complete;
    return unread_ != 0 ? at_.missing_reason(unread_) : chain_end::bad_frame;
  }

  std::optional<std::uint64_t> value_of(const saved_register& reg) {
    const std::uint64_t by_offset = saved_at(reg);
    unread_ = 0;
    switch (reg.how) {
      case recovery::at_offset:
        return read(by_offset);
      case recovery::is_offset:
        return by_offset;
      case recovery::in_register: {
        const auto holder = static_cast<unsigned>(reg.value);
        if (!before_.known(holder)) return std::nullopt;
        return before_.at(holder);
      }
      case recovery::at_expression:
      case recovery::is_expression: {
        const auto value =
            evaluate(frame_rule_.content->expression(reg.value), frame(), cfa_, unread_);
        if (!value || reg.how == recovery::is_expression) return value;
        return read(*value);
      }
      case recovery::same:
      case recovery::undefined:
        break;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> read(std::uint64_t address) {
    std::uint64_t value = 0;
    if (at_.stack.read(address, value)) return value;
    unread_ = address;
    return std::nullopt;
  }

  std::optional<chain_end> arrive() {
    const unsigned column = frame_rule_.definition->return_column;
    if (return_end_) return return_end_;
    // On arm64 the return address of a leaf is still in the link register; on x86-64 it must be
    // saved.
    const bool in_link_register = at_.arch == architecture::arm64 && column == arm64::lr;
    if (!at_.values.known(column) || (!return_recovered_ && !in_link_register)) {
      return chain_end::bad_frame;
    }
    const std::uint64_t address = at_.plain_address(at_.values.at(column));
    const bool signal = frame_rule_.definition->is_signal_frame != 0;
    // The call that led to this frame overwrote the caller's link register.
    if (in_link_register && !signal) at_.values.forget(arm64::lr);
    at_.by_record = false;
    return at_.arrive(address, signal);
  }

  cursor& at_;
  const applied_rule& frame_rule_;
  const registers& before_;
  std::uint64_t sp_;
  std::uint64_t cfa_ = 0;
  std::uint64_t unread_ = 0;
  bool return_recovered_ = false;
  std::optional<chain_end> return_end_;
};

}  // namespace

std::optional<chain_end> step_by_rule(cursor& at, const applied_rule& frame_rule) {
  if (!frame_rule.reads_registers) return rule_step(at, frame_rule, at.values).run();
  const registers before = at.values;
  return rule_step(at, frame_rule, before).run();
}

}  // namespace stallscope::unwind
