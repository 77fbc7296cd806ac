// dollop view: shows a run in the browser.
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "commands.h"
#include "terminal.h"
#include "view.h"
#include "view/page.h"
#include "view/server.h"

namespace dollop {

void require_page() {
  if (page_files().empty())
    throw RunError(
        "this program was built without the viewer, for Node.js or npm was missing then; install them "
        "(Debian: "
        "nodejs, npm) and build again");
}

void announce(const std::string& url, const HttpOptions& options) {
  if (!is_loopback(options.host))
    fmt::print(stderr,
               "dollop: warning: other machines can reach the viewer on {}; only the address below, with its "
               "token, opens it, and nothing is encrypted\n",
               options.host);
  fmt::print("viewer: {}\n", url);
  std::fflush(stdout);
}

void open_browser(const std::string& url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1 /* O_WRONLY */, 0);
  if (posix_spawnp(&child, program.c_str(), &quiet, nullptr, arguments, environ) == 0)
    std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  posix_spawn_file_actions_destroy(&quiet);
}

void add_view_options(Command command, ViewArguments& a) {
  command.add_option("--port", a.http.port, "port of the viewer; 0: any free port [7321, or a free one]")
      .range(0, 65535)
      .when_given([&a] { a.port_given = true; });
  command.add_option("--host", a.http.host, "address to listen on [127.0.0.1, this machine only]");
  command.add_flag("--no-browser", a.no_browser, "do not open a browser");
}

namespace {

struct Arguments {
  std::filesystem::path folder;
  ViewArguments view;
};

int view(const Arguments& a) {
  require_page();
  const RunCache run(a.folder);  // throws if the folder is no run
  if (run.frames().empty())
    fmt::print(stderr, "dollop: '{}' has no frames yet; the page shows them when they come\n",
               a.folder.string());
  const InterruptGuard guard;
  const auto server = with_port(
      a.view, [&](const HttpOptions& options) { return std::make_unique<ViewServer>(a.folder, options); });
  announce(server->url(), a.view.http);
  if (!a.view.no_browser) open_browser(server->url());
  while (!InterruptGuard::interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return exit_fine;
}

}  // namespace

void add_view(Command app, int& status) {
  auto a = std::make_shared<Arguments>();
  Command command = app.add_command("view", "look at a run in the browser");
  command.add_option("DIR", a->folder, "folder of the run").required();
  add_view_options(command, a->view);
  command.footer(
      "Examples:\n"
      "  dollop view runs/first\n"
      "  dollop view runs/first --port 0 --no-browser\n"
      "Frames of a run that goes on appear as they are written. Ctrl-C ends it.");
  command.callback([a, &status] {
    try {
      status = view(*a);
    } catch (const HttpError& e) {
      throw RunError(e.what());
    }
  });
}

}  // namespace dollop
