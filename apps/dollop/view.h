// Shared by `dollop view` and `dollop run --view`.
#pragma once

#include <string>

#include "command_line.h"
#include "view/http.h"

namespace dollop {

struct ViewArguments {
  HttpOptions http{.port = 7321};
  bool port_given = false;  // otherwise any free port may replace it
  bool no_browser = false;
};
void add_view_options(Command command, ViewArguments& arguments);

void require_page();  // throws RunError if the program was built without the viewer's page

// Makes a server by make(options); on a free port if the usual one is taken.
template <class Make>
auto with_port(const ViewArguments& arguments, Make&& make) {
  HttpOptions options = arguments.http;
  try {
    return make(options);
  } catch (const HttpError&) {
    if (arguments.port_given) throw;
    options.port = 0;
    return make(options);
  }
}

// Prints the address of the page; warns if other machines can reach it.
void announce(const std::string& url, const HttpOptions& options);
void open_browser(const std::string& url);  // only if there is a display

}  // namespace dollop
