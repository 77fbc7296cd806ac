// The command line, parsed by CLI11.
#include "command_line.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <sstream>

namespace dollop {

CommandOption CommandOption::required() {
  option_->required();
  return *this;
}
CommandOption CommandOption::show_default() {
  option_->capture_default_str();
  return *this;
}
CommandOption CommandOption::comma_separated() {
  option_->delimiter(',');
  return *this;
}
CommandOption CommandOption::one_value_a_time() {
  option_->allow_extra_args(false);
  return *this;
}
CommandOption CommandOption::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}
CommandOption CommandOption::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandOption CommandOption::range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandOption CommandOption::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}
CommandOption CommandOption::bytes() {
  option_->transform(CLI::AsSizeValue(false))->check(CLI::Range(1.0, 1e18));
  return *this;
}
CommandOption CommandOption::when_given(std::function<void()> function) {
  option_->each([function = std::move(function)](const std::string&) { function(); });
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& description) {
  return Command(*app_->add_subcommand(name, description));
}
void Command::require_command() { app_->require_subcommand(1); }
template <class T>
CommandOption Command::add_option(const std::string& names, T& value, const std::string& description) {
  return CommandOption(*app_->add_option(names, value, description));
}
template CommandOption Command::add_option(const std::string&, int&, const std::string&);
template CommandOption Command::add_option(const std::string&, double&, const std::string&);
template CommandOption Command::add_option(const std::string&, std::string&, const std::string&);
template CommandOption Command::add_option(const std::string&, std::filesystem::path&, const std::string&);
template CommandOption Command::add_option(const std::string&, std::optional<std::string>&,
                                           const std::string&);
template CommandOption Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template CommandOption Command::add_option(const std::string&, std::vector<double>&, const std::string&);
template CommandOption Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
void Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  app_->add_flag(names, value, description);
}
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(const std::function<void()>& function) { app_->callback(function); }

std::string Command::name() const { return app_->get_name(); }
std::string Command::description() const { return app_->get_description(); }
std::vector<Command> Command::commands() const {
  std::vector<Command> commands;
  for (CLI::App* command : app_->get_subcommands({})) commands.emplace_back(*command);
  return commands;
}
std::vector<Command::OptionText> Command::options() const {
  std::vector<OptionText> options;
  for (const CLI::Option* option : app_->get_options())
    options.push_back({option->get_lnames(), option->get_description()});
  return options;
}
bool Command::given(const std::string& option) const { return app_->get_option(option)->count() > 0; }

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name(name);
  app_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;

std::optional<CommandLine::Answer> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    const int code = app_->exit(e, out, err);
    return Answer{out.str(), err.str(), code == 0};
  }
  return std::nullopt;
}

}  // namespace dollop
