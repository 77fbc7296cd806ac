// The command line as the commands of this program see it. CLI11 parses it behind this interface: each unit that includes
// CLI11 takes the compiler two seconds for its inline functions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dollop {

// An option of a command. Each function returns the option, so that calls may follow each other.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(&option) {}

  CommandOption required();
  CommandOption show_default();      // in the help: the value that the variable has now
  CommandOption comma_separated();   // one argument may hold several values
  CommandOption one_value_a_time();  // for a further value the option is repeated
  CommandOption one_of(const std::vector<std::string>& words);
  CommandOption range(int least, int most);
  CommandOption range(double least, double most);
  CommandOption not_negative();
  CommandOption bytes();  // a number of bytes, which may have a unit such as GB
  CommandOption when_given(std::function<void()> function);

 private:
  CLI::Option* option_;
};

// A command of the program, or the program itself. It is a handle: copies stand for the same command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_command(const std::string& name, const std::string& description);
  void require_command();
  // An option "--name" or "-n,--name", or an argument "NAME". T: string, path, int, double, a list of strings, ints or
  // doubles, or an optional string.
  template <class T>
  CommandOption add_option(const std::string& names, T& value, const std::string& description = {});
  void add_flag(const std::string& names, bool& value, const std::string& description);
  void footer(const std::string& text);                  // below the options in the help
  void callback(const std::function<void()>& function);  // called when the command is chosen

  struct OptionText {
    std::vector<std::string> long_names;  // without "--"
    std::string description;
  };
  std::string name() const, description() const;
  std::vector<Command> commands() const;
  std::vector<OptionText> options() const;
  bool given(const std::string& option) const;

 private:
  CLI::App* app_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  Command program() { return Command(*app_); }

  // What is printed instead of running a command: help, version, or what is wrong with the arguments.
  struct Answer {
    std::string out, err;
    bool fine;
  };
  // Runs the command that the arguments choose, or returns an answer.
  std::optional<Answer> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace dollop
