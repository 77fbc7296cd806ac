// dollop completion: completion scripts for shells, generated from the command line so that they are always up to date.
#include <fmt/core.h>
#include <fmt/format.h>

#include "commands.h"

namespace dollop {
namespace {

struct Word {
  std::string text, help;
};

std::string escape_quotes(std::string text, const std::string& with) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += with.size())
    text.replace(i, 1, with);
  return text;
}

std::vector<Word> commands_of(const Command& app) {
  std::vector<Word> words;
  for (const Command& command : app.commands()) words.push_back({command.name(), command.description()});
  return words;
}

// the long names of a command's options
std::vector<Word> options_of(const Command& command) {
  std::vector<Word> words;
  for (const Command::OptionText& option : command.options())
    for (const std::string& name : option.long_names) words.push_back({"--" + name, option.description});
  return words;
}

std::string joined(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string bash_script(const Command& app) {
  std::string cases;
  for (const Command& command : app.commands())
    cases += fmt::format("      {}) words='{}' ;;\n", command.name(), joined(options_of(command)));
  return fmt::format(
      "# bash completion of dollop: source this file, or put it into "
      "~/.local/share/bash-completion/completions/dollop\n"
      "_dollop() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words=''\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [[ $word == -* ]]; then\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _dollop dollop ./dollop\n",
      joined(commands_of(app)), cases);
}

std::string zsh_script(const Command& app) {
  std::string commands, cases;
  for (const Word& word : commands_of(app))
    commands += fmt::format("    '{}:{}'\n", word.text, escape_quotes(word.help, "'\\''"));
  for (const Command& command : app.commands()) {
    cases += fmt::format("    {}) _arguments", command.name());
    for (const Word& word : options_of(command)) {
      std::string help;
      for (const char c : escape_quotes(word.help, "'\\''"))
        help += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
      cases += fmt::format(" '{}[{}]'", word.text, help);
    }
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef dollop\n"
      "# zsh completion of dollop: put it as _dollop into a folder of $fpath\n"
      "_dollop() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "compdef _dollop dollop\n",
      commands, cases);
}

std::string fish_script(const Command& app) {
  std::string script = "# fish completion of dollop: put it into ~/.config/fish/completions/dollop.fish\n";
  for (const Word& word : commands_of(app))
    script += fmt::format("complete -c dollop -n __fish_use_subcommand -a {} -d '{}'\n", word.text,
                          escape_quotes(word.help, "\\'"));
  for (const Command& command : app.commands())
    for (const Word& word : options_of(command))
      script += fmt::format("complete -c dollop -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                            command.name(), word.text.substr(2), escape_quotes(word.help, "\\'"));
  return script;
}

}  // namespace

void add_completion(Command app, int& status) {
  Command completion = app.add_command("completion", "print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  completion.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  completion.footer("Example:\n  source <(dollop completion bash)");
  completion.callback([shell, app, &status] {
    fmt::print("{}", *shell == "bash"  ? bash_script(app)
                     : *shell == "zsh" ? zsh_script(app)
                                       : fish_script(app));
    status = exit_fine;
  });
}

}  // namespace dollop
