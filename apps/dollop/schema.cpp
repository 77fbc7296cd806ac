// dollop schema: the schema of scene files, for editors and as a reference page.
#include <dollop/scene_file.h>
#include <fmt/core.h>

#include "commands.h"

namespace dollop {

void add_schema(Command app, int& status) {
  struct Arguments {
    bool reference = false;
    std::string draft = "07";
  };
  Command schema = app.add_command("schema", "print the JSON schema of scene files");
  auto a = std::make_shared<Arguments>();
  schema.add_option("--draft", a->draft, "of JSON schema: 07, which editors know, or 2020-12")
      .one_of({"07", "2020-12"})
      .show_default();
  schema.add_flag("--markdown", a->reference, "print the reference page instead");
  schema.footer(
      "Examples:\n"
      "  dollop schema > dollop.schema.json     for editors: name it in the first line of a scene,\n"
      "                                         `#:schema ./dollop.schema.json`\n"
      "  dollop schema --markdown               docs/scene-reference.md");
  schema.callback([a, &status] {
    const SchemaDraft draft = a->draft == "07" ? SchemaDraft::draft_07 : SchemaDraft::draft_2020_12;
    fmt::print("{}", a->reference ? scene_reference() : scene_schema(draft));
    status = exit_fine;
  });
}

}  // namespace dollop
