// The command line.
#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "commands.h"
#include "materials/registry.h"
#include "streams.h"

namespace {

// an unknown command gets a better message than the parser's
void check_command(const dollop::Command& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const dollop::Command& command : program.commands()) known.push_back(command.name());
  if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return;
  const std::string near = dollop::nearest_name(argv[1], known);
  throw dollop::RunError(fmt::format("'{}' is not a command{}; see `dollop --help`", argv[1],
                                     near.empty() ? "" : ", did you mean '" + near + "'?"));
}

// `dollop help [COMMAND]` is `dollop [COMMAND] --help`
void understand_help(int& argc, char** argv) {
  static char help[] = "--help";
  if (argc < 2 || std::string_view(argv[1]) != "help") return;
  argc = std::min(argc, 3);
  if (argc == 3) argv[1] = argv[2];
  argv[argc - 1] = help;
}

int parse_and_run(dollop::CommandLine& line, int argc, char** argv, int& status) {
  try {
    understand_help(argc, argv);
    check_command(line.program(), argc, argv);
    if (const auto answer = line.parse(argc, argv)) {
      fmt::print("{}", answer->out);
      fmt::print(stderr, "{}", answer->err);
      return answer->fine ? dollop::exit_fine : dollop::exit_bad_input;
    }
  } catch (const dollop::SceneError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return dollop::exit_bad_input;
  } catch (const dollop::RunError& e) {
    fmt::print(stderr, "dollop: {}\n", e.what());
    return dollop::exit_bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dollop: not enough memory\n");
    return dollop::exit_simulation_failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "dollop: {}\n", e.what());
    return dollop::exit_simulation_failed;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  dollop::prepare_streams();
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file that exceeds a size limit is a write error, not the end of the program
  dollop::CommandLine line(
      "dollop",
      "Dollop simulates the materials between solid and liquid: foam, cream, dough, oobleck, clay, rubber, "
      "sand.",
      "dollop " DOLLOP_VERSION);
  dollop::Command app = line.program();
  app.require_command();
  app.footer(
      "Examples:\n"
      "  dollop run scenes/start/first.toml      run a scene into runs/first\n"
      "  dollop check scenes/start/first.toml    what it needs, without running it\n"
      "  dollop resume runs/first                go on from the last checkpoint\n"
      "  dollop view runs/first                  look at it in the browser\n"
      "  dollop render runs/first --movie        pictures and a movie\n"
      "See `dollop COMMAND --help`.");
  int status = dollop::exit_fine;
  dollop::add_run(app, status);
  dollop::add_resume(app, status);
  dollop::add_check(app, status);
  dollop::add_view(app, status);
  dollop::add_render(app, status);
  dollop::add_surface(app, status);
  dollop::add_export(app, status);
  dollop::add_plot(app, status);
  dollop::add_materials(app, status);
  dollop::add_schema(app, status);
  dollop::add_rheometer(app, status);
  dollop::add_bench(app, status);
  dollop::add_doctor(app, status);
  dollop::add_completion(app, status);
  return dollop::finish_streams(parse_and_run(line, argc, argv, status));
}
