#include "rule_text.hpp"

namespace stallscope::unwind {
namespace {

std::string register_name(architecture arch, unsigned number) {
  static constexpr const char* x86_64_names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                 "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                 "r12", "r13", "r14", "r15", "rip"};
  if (arch == architecture::x86_64 && number < 17) return x86_64_names[number];
  return number == arm64::sp ? "sp" : "x" + std::to_string(number);
}

std::string signed_number(std::int32_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

std::string place_of(architecture arch, const saved_register& reg) {
  switch (reg.how) {
    case recovery::same:
      return "s";
    case recovery::undefined:
      return "u";
    case recovery::at_offset:
      return "c" + signed_number(reg.value);
    case recovery::is_offset:
      return "v" + signed_number(reg.value);
    case recovery::in_register:
      return register_name(arch, static_cast<unsigned>(reg.value));
    case recovery::at_expression:
      return "exp";
    case recovery::is_expression:
      return "vexp";
  }
  return "?";
}

}  // namespace

std::string text_of(const table_reader::content& content, const rule& row_rule) {
  std::string text = "exp";
  if (row_rule.cfa_register != rule::by_expression) {
    text = register_name(content.arch, row_rule.cfa_register) + signed_number(row_rule.cfa_offset);
  }
  for (const saved_register& reg : content.saved_by(row_rule)) {
    const std::string name =
        reg.number == row_rule.return_column ? "ra" : register_name(content.arch, reg.number);
    text += " " + name + "=" + place_of(content.arch, reg);
  }
  return text;
}

std::string rule_at(const table& known, std::uint64_t address) {
  const auto& content = table_reader::of(known);
  const rule* row_rule = content.find(address);
  return row_rule == nullptr ? "" : text_of(content, *row_rule);
}

}  // namespace stallscope::unwind
