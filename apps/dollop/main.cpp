// The command line.
#include <dollop/scene.h>
#include <fmt/core.h>

#include "commands.h"

int main(int argc, char** argv) {
  CLI::App app{
      "Dollop simulates the materials between solid and liquid: foam, cream, sponge, dough, rubber, sand."};
  app.name("dollop");
  app.set_version_flag("--version", "dollop " DOLLOP_VERSION);
  app.require_subcommand(1);
  app.footer("See `dollop COMMAND --help`.");
  int status = dollop::exit_fine;
  dollop::add_bench(app, status);
  dollop::add_doctor(app, status);
  dollop::add_materials(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? dollop::exit_fine : dollop::exit_bad_input;
  } catch (const dollop::SceneError& e) {
    fmt::print(stderr, "dollop: {}\n", e.what());
    return dollop::exit_bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "dollop: not enough memory\n");
    return dollop::exit_simulation_failed;
  }
  return status;
}
