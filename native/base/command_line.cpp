#include "base/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>

namespace stallscope::cli {

validator::validator(CLI::Validator rule)
    : rule_(std::make_shared<const CLI::Validator>(std::move(rule))) {}

template <typename Number>
validator range(Number low, Number high) {
  return validator(CLI::Range(low, high));
}
template validator range(int, int);
template validator range(unsigned, unsigned);
template validator range(std::uint64_t, std::uint64_t);
template validator range(double, double);

validator positive_number() { return validator(CLI::PositiveNumber); }

validator one_of(const std::vector<std::string>& texts) { return validator(CLI::IsMember(texts)); }

validator one_of_in_any_case(const std::vector<std::string>& texts) {
  return validator(CLI::IsMember(texts, CLI::ignore_case));
}

validator size_in_bytes() { return validator(CLI::AsSizeValue(false)); }

option& option::check(const validator& condition) {
  implementation_->check(condition.rule());
  return *this;
}

option& option::check(const std::function<std::string(const std::string&)>& error_of) {
  implementation_->check(error_of);
  return *this;
}

option& option::transform(const validator& conversion) {
  implementation_->transform(conversion.rule());
  return *this;
}

option& option::needs(const option& other) {
  implementation_->needs(other.implementation_);
  return *this;
}

option& option::excludes(const option& other) {
  implementation_->excludes(other.implementation_);
  return *this;
}

option& option::delimiter(char separator) {
  implementation_->delimiter(separator);
  return *this;
}

option& option::required() {
  implementation_->required();
  return *this;
}

option& option::capture_default_str() {
  implementation_->capture_default_str();
  return *this;
}

template <typename Value>
option command::add_option(const std::string& names, Value& variable,
                           const std::string& description) {
  return option(implementation_->add_option(names, variable, description));
}
template option command::add_option(const std::string&, int&, const std::string&);
template option command::add_option(const std::string&, std::uint16_t&, const std::string&);
template option command::add_option(const std::string&, unsigned&, const std::string&);
template option command::add_option(const std::string&, std::uint64_t&, const std::string&);
template option command::add_option(const std::string&, double&, const std::string&);
template option command::add_option(const std::string&, std::string&, const std::string&);
template option command::add_option(const std::string&, std::optional<unsigned>&,
                                    const std::string&);
template option command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);
template option command::add_option(const std::string&, std::vector<int>&, const std::string&);
template option command::add_option(const std::string&, std::vector<std::uint64_t>&,
                                    const std::string&);
template option command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);

option command::add_flag(const std::string& names, bool& variable, const std::string& description) {
  return option(implementation_->add_flag(names, variable, description));
}

command command::add_subcommand(const std::string& name, const std::string& description) {
  return command(implementation_->add_subcommand(name, description));
}

void command::footer(const std::string& text) { implementation_->footer(text); }

void command::require_subcommand(std::size_t min_count, std::size_t max_count) {
  implementation_->require_subcommand(min_count, max_count);
}

void command::positionals_at_end() { implementation_->positionals_at_end(); }

void command::before_options(const std::function<void(command&)>& add_options) {
  CLI::App* const app = implementation_;
  app->preparse_callback([app, add_options](std::size_t) {
    command itself(app);
    add_options(itself);
  });
}

void command::callback(const std::function<void()>& function) {
  implementation_->callback(function);
}

bool command::parsed() const { return implementation_->parsed(); }

bool command::has_subcommand() const { return !implementation_->get_subcommands().empty(); }

std::size_t command::count(const std::string& option_name) const {
  return implementation_->count(option_name);
}

parser::parser(const std::string& description, const std::string& name)
    : command(std::make_unique<CLI::App>(description, name).release()) {}

parser::~parser() { delete &implementation(); }

void parser::set_version_flag(const std::string& names, const std::string& version) {
  implementation().set_version_flag(names, version);
}

bool parser::parse(std::vector<std::string> words) {
  CLI::App& app = implementation();
  std::reverse(words.begin(), words.end());  // CLI11 expects reverse order
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return false;
    }
    std::string help = "see " + app.get_name();
    for (const CLI::App* subcommand : app.get_subcommands()) help += " " + subcommand->get_name();
    throw failure(exit_code::usage, error.what(), help + " --help");
  }
  return true;
}

}  // namespace stallscope::cli
