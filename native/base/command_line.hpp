// Command lines of the programs, the same in every program: a wrong command line is a failure with
// the exit code for usage and a remedy that names the help.
//
//   cli::parser app("Measures wake-ups", "stallscope-wake");
//   app.add_option("--port", port, "TCP port").check(cli::range(0, 65535)).capture_default_str();
//   if (!parse_arguments(app, argc, argv)) return exit_code::done;
//
// The interface and the meaning are CLI11's. CLI11 is a header whose use costs 5 s of compilation
// in each source, so only command_line.cpp includes it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.hpp"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace stallscope::cli {

// A condition on the text of a value, or a conversion of that text.
class validator {
 public:
  explicit validator(CLI::Validator rule);
  [[nodiscard]] const CLI::Validator& rule() const { return *rule_; }

 private:
  std::shared_ptr<const CLI::Validator> rule_;
};

// Both limits are included. NaN is accepted.
template <typename Number>
validator range(Number low, Number high);
validator positive_number();
validator one_of(const std::vector<std::string>& texts);
// In any case; as a transformation, it converts the text to that of the list.
validator one_of_in_any_case(const std::vector<std::string>& texts);
// Bytes, with an optional unit such as kb or MB, in powers of 1024.
validator size_in_bytes();

// An option of a command. A handle: valid as long as the parser.
class option {
 public:
  explicit option(CLI::Option* implementation) : implementation_(implementation) {}

  option& check(const validator& condition);
  // Returns the error, or an empty text if the value is valid.
  option& check(const std::function<std::string(const std::string&)>& error_of);
  option& transform(const validator& conversion);
  option& needs(const option& other);
  option& excludes(const option& other);
  option& delimiter(char separator);
  option& required();
  // The help shows the value that the variable has now.
  option& capture_default_str();

 private:
  CLI::Option* implementation_;
};

// A program or a subcommand. A handle: valid as long as the parser.
class command {
 public:
  explicit command(CLI::App* implementation) : implementation_(implementation) {}

  // The variable receives the value; it must live until the end of the parsing. command_line.cpp
  // lists the types.
  template <typename Value>
  option add_option(const std::string& names, Value& variable, const std::string& description);
  option add_flag(const std::string& names, bool& variable, const std::string& description);
  [[nodiscard]] command add_subcommand(const std::string& name, const std::string& description);

  void footer(const std::string& text);
  void require_subcommand(std::size_t min_count, std::size_t max_count);
  void positionals_at_end();
  // Called when the parser has read the command's name, before its options: these may be added now.
  void before_options(const std::function<void(command&)>& add_options);
  // Called if the command was named, after its options are parsed.
  void callback(const std::function<void()>& function);

  // After the parsing.
  [[nodiscard]] bool parsed() const;
  [[nodiscard]] bool has_subcommand() const;
  [[nodiscard]] std::size_t count(const std::string& option_name) const;

 protected:
  [[nodiscard]] CLI::App& implementation() const { return *implementation_; }

 private:
  CLI::App* implementation_;
};

// The program's own command, which holds all others. Not copyable.
class parser : public command {
 public:
  parser(const std::string& description, const std::string& name);
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;
  parser(parser&&) = delete;
  parser& operator=(parser&&) = delete;
  ~parser();

  void set_version_flag(const std::string& names, const std::string& version);

  // `words` are the arguments without the program's name. Returns false if --help or --version was
  // printed. Throws failure (usage).
  [[nodiscard]] bool parse(std::vector<std::string> words);
};

}  // namespace stallscope::cli

namespace stallscope {

[[nodiscard]] inline bool parse_arguments(cli::parser& app, std::vector<std::string> words) {
  return app.parse(std::move(words));
}

[[nodiscard]] inline bool parse_arguments(cli::parser& app, int argc, char** argv) {
  return app.parse(std::vector<std::string>(argv + 1, argv + argc));
}

// Adds --die-with-parent; see program::follow_parent().
inline void add_die_with_parent(cli::command& app, bool& die_with_parent) {
  app.add_flag("--die-with-parent", die_with_parent, "End when the parent process ends");
}

// Adds --phases; see phase_marks.
inline void add_phases(cli::command& app, int& phases_fd) {
  app.add_option("--phases", phases_fd,
                 "Descriptor to mark the measured time on, for stallscope-collect count --phases")
      .check(cli::range(0, 1 << 20));
}

}  // namespace stallscope
