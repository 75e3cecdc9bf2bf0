// To the caller by call frame information.
#include "unwind/cursor.hpp"
#include "unwind/expression.hpp"

namespace stallscope::unwind {
namespace {

class rule_step {
 public:
  // `before`: the registers of the frame; where the rule reads none of them, those that change.
  rule_step(cursor& at, const applied_rule& found, const registers& before)
      : at_{at}, found_{found}, before_{before}, sp_{at.values.at(at.sp())} {}

  // Where it fails, some registers have changed already.
  std::optional<chain_end> run() {
    if (const auto end = find_cfa()) return end;
    if (const auto end = check_progress()) return end;
    at_.values.set(at_.sp(), cfa_);
    for (const saved_register& each : found_.of->saved_by(*found_.how)) {
      // Nearly all are of this kind.
      std::uint64_t value = 0;
      if (each.how == recovery::at_offset && at_.stack.read(saved_at(each), value)) {
        at_.values.set(each.number, value);
        return_recovered_ = return_recovered_ || each.number == found_.how->return_column;
      } else {
        recover(each);
      }
    }
    return arrive();
  }

 private:
  [[nodiscard]] expression_frame frame() const {
    return {.values = before_,
            .stack = at_.stack,
            .steps_left = at_.expression_steps_left,
            .load_bias = found_.load_bias};
  }

  std::optional<chain_end> find_cfa() {
    const rule& how = *found_.how;
    if (how.cfa_register != rule::by_expression) {
      if (!at_.values.known(how.cfa_register)) return chain_end::bad_frame;
      cfa_ = at_.values.at(how.cfa_register) +
             static_cast<std::uint64_t>(std::int64_t{how.cfa_offset});
      return std::nullopt;
    }
    const auto value =
        evaluate(found_.of->expression(how.cfa_offset), frame(), std::nullopt, unread_);
    if (!value) return unread_ != 0 ? at_.missing(unread_) : chain_end::bad_frame;
    cfa_ = *value;
    return std::nullopt;
  }

  // Callers lie above. Only code that has put nothing on the stack, which is a leaf or a piece of
  // assembly called by it, has its CFA at its stack pointer.
  std::optional<chain_end> check_progress() {
    if (found_.how->is_signal_frame != 0) return std::nullopt;
    if (cfa_ < sp_) {
      const bool elsewhere = at_.missing(cfa_) == chain_end::other_stack;
      return elsewhere ? chain_end::other_stack : chain_end::bad_frame;
    }
    at_.still_steps = cfa_ == sp_ ? at_.still_steps + 1 : 0;
    if (at_.still_steps > 2) return chain_end::bad_frame;
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t saved_at(const saved_register& each) const {
    return cfa_ + static_cast<std::uint64_t>(std::int64_t{each.value});
  }

  void recover(const saved_register& each) {
    const auto value = value_of(each);
    const bool is_return = each.number == found_.how->return_column;
    if (value) {
      at_.values.set(each.number, *value);
    } else if (was_popped(each)) {
      // Behind the pop the register holds the caller's value again; compilers leave the rule.
    } else {
      at_.values.forget(each.number);
      if (is_return) return_end_ = why_lost(each);
    }
    return_recovered_ = return_recovered_ || is_return;
  }

  [[nodiscard]] bool was_popped(const saved_register& each) const {
    return each.how == recovery::at_offset && unread_ != 0 && unread_ < sp_ &&
           each.number != found_.how->return_column;
  }

  [[nodiscard]] chain_end why_lost(const saved_register& each) const {
    if (each.how == recovery::undefined) return chain_end::complete;
    return unread_ != 0 ? at_.missing(unread_) : chain_end::bad_frame;
  }

  std::optional<std::uint64_t> value_of(const saved_register& each) {
    const std::uint64_t by_offset = saved_at(each);
    unread_ = 0;
    switch (each.how) {
      case recovery::at_offset:
        return read(by_offset);
      case recovery::is_offset:
        return by_offset;
      case recovery::in_register: {
        const auto holder = static_cast<unsigned>(each.value);
        if (!before_.known(holder)) return std::nullopt;
        return before_.at(holder);
      }
      case recovery::at_expression:
      case recovery::is_expression: {
        const auto value = evaluate(found_.of->expression(each.value), frame(), cfa_, unread_);
        if (!value || each.how == recovery::is_expression) return value;
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
    const unsigned column = found_.how->return_column;
    if (return_end_) return return_end_;
    // On arm64 a leaf's return address is still in the link register; elsewhere it must be saved.
    const bool in_link_register = at_.arch == architecture::arm64 && column == arm64::lr;
    if (!at_.values.known(column) || (!return_recovered_ && !in_link_register)) {
      return chain_end::bad_frame;
    }
    const std::uint64_t address = at_.plain_address(at_.values.at(column));
    const bool signal = found_.how->is_signal_frame != 0;
    // The call that led here overwrote the caller's own link register.
    if (in_link_register && !signal) at_.values.forget(arm64::lr);
    at_.by_record = false;
    return at_.arrive(address, signal);
  }

  cursor& at_;
  const applied_rule& found_;
  const registers& before_;
  std::uint64_t sp_;
  std::uint64_t cfa_ = 0;
  std::uint64_t unread_ = 0;
  bool return_recovered_ = false;
  std::optional<chain_end> return_end_;
};

}  // namespace

std::optional<chain_end> step_by_rule(cursor& at, const applied_rule& found) {
  if (!found.reads_registers) return rule_step(at, found, at.values).run();
  const registers before = at.values;
  return rule_step(at, found, before).run();
}

}  // namespace stallscope::unwind
