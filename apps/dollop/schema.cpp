// dollop schema: the schema of scene files, for editors and as a reference page.
#include <dollop/scene_file.h>
#include <fmt/core.h>

#include "commands.h"

namespace dollop {

void add_schema(CLI::App& app, int& status) {
  auto* schema = app.add_subcommand("schema", "print the JSON schema of scene files");
  auto reference = std::make_shared<bool>(false);
  schema->add_flag("--markdown", *reference, "print the reference page instead");
  schema->footer(
      "Examples:\n"
      "  dollop schema > dollop.schema.json     for editors: name it in a line `#:schema "
      "./dollop.schema.json`\n"
      "  dollop schema --markdown               docs/scene-reference.md");
  schema->callback([reference, &status] {
    fmt::print("{}", *reference ? scene_reference() : scene_schema());
    status = exit_fine;
  });
}

}  // namespace dollop
