#include "view/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <random>
#include <thread>

#include "view/json_object.h"
#include "view/page.h"

namespace dollop {
namespace {

constexpr int max_streams = 12;  // of events; each occupies a thread of the server

// An invalid request, with the HTTP status of the response.
struct Refused : std::runtime_error {
  Refused(int status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  int status;
};

HttpResponse json_response(std::string json, int status = 200) {
  return {.status = status, .body = std::make_shared<const std::string>(std::move(json))};
}

HttpResponse error_response(int status, const std::string& why) {
  return json_response(JsonObject().text("error", why).str(), status);
}

HttpResponse binary_response(std::shared_ptr<const std::string> bytes) {
  return {.type = "application/octet-stream", .body = std::move(bytes)};
}

// whether a list such as "gzip, deflate;q=0.5" names gzip, and not with the weight 0
bool accepts_gzip(const std::string& encodings) {
  const std::size_t at = encodings.find("gzip");
  if (at == std::string::npos) return false;
  const std::string rest = encodings.substr(at + 4, encodings.find(',', at) - at - 4);
  const std::size_t weight = rest.find("q=");
  return weight == std::string::npos || std::strtod(rest.c_str() + weight + 2, nullptr) > 0;
}

std::string make_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", std::uint32_t(random()));
  return token;
}

// constant time, so that the duration reveals nothing about the token
bool tokens_equal(const std::string& given, const std::string& token) {
  unsigned char difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t k = 0; k < token.size(); ++k)
    difference |= static_cast<unsigned char>(token[k] ^ (k < given.size() ? given[k] : 0));
  return difference == 0;
}

// "/api/frames/12" -> api frames 12
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::uint64_t to_number(const std::string& text, std::uint64_t max, const char* what) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > max)
    throw Refused(400, fmt::format("{} is not a number from 0 to {}", what, max));
  return value;
}

int to_frame(const std::string& text) { return int(to_number(text, 999'999'999, "the frame")); }

std::string value_of(const std::map<std::string, std::string>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? "" : found->second;
}

// the part of "127.0.0.1:8080" or "[::1]:8080" before the port; empty for what is not an address
std::string host_of(const std::string& address) {
  const bool brackets = address.starts_with('[');
  const std::size_t end = std::min(brackets ? address.find(']') : address.find(':'), address.size());
  const std::string_view rest = std::string_view(address).substr(std::min(end + brackets, address.size()));
  const bool port = rest.size() > 1 && rest.starts_with(':') &&
                    rest.find_first_not_of("0123456789", 1) == std::string::npos;
  return rest.empty() || port ? address.substr(0, end + brackets) : "";
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "::1" || host == "[::1]") return true;
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

ViewServer::ViewServer(const std::filesystem::path& folder, const HttpOptions& options, LiveHooks live)
    : options_(options), live_(std::move(live)), source_(folder, live_.busy) {
  if (!is_loopback(options.host)) token_ = make_token();
  const bool background = options.background;
  watch_ = std::make_unique<FolderWatch>(source_, hub_, [background] {
    if (background) lower_priority();
  });
  http_ = std::make_unique<HttpServer>(
      options, [this](const HttpRequest& r) { return refuse(r); },
      [this](const HttpRequest& r) { return respond(r); });
}

ViewServer::~ViewServer() {
  hub_.close();
  // subscribers still get the last events
  for (int k = 0; k < 100 && streams_ > 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  http_.reset();
}

std::string ViewServer::url() const {
  std::string host = options_.host;
  if (host == "0.0.0.0" || host == "::") host = machine_name();
  if (host.find(':') != std::string::npos && host[0] != '[') host = "[" + host + "]";
  return fmt::format("http://{}:{}/{}{}", host, port(), token_.empty() ? "" : "?token=", token_);
}

std::shared_ptr<RunReader> ViewServer::run() {
  if (live_.ready && !live_.ready()) throw Refused(503, "the run is being set up; try again in a moment");
  if (!source_.stamp()) throw Refused(503, "the folder of the run is gone, or not there yet");
  return source_.open();
}

std::string ViewServer::state() const { return live_.state ? live_.state() : R"({"state":"recorded"})"; }

// The answer to a request that may not ask at all.
std::optional<HttpResponse> ViewServer::refuse(const HttpRequest& request) const {
  // against DNS rebinding: a page of another site may have had its own name resolve to this machine
  if (token_.empty() && !is_loopback(host_of(value_of(request.headers, "host"))))
    return error_response(403, "ask for this server by the address that it printed");
  const bool page = request.path.starts_with("/assets/");  // contains nothing of the run
  if (!token_.empty() && !page && !tokens_equal(value_of(request.query, "token"), token_))
    return error_response(403, "the token is missing or wrong; use the address that the program printed");
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
    return error_response(405, "only GET, HEAD and POST are understood");
  return std::nullopt;
}

HttpResponse ViewServer::respond(const HttpRequest& request) {
  try {
    if (request.path.starts_with("/api/")) return respond_api(request);
    if (request.method == "POST") throw Refused(405, "only /api/control takes POST");
    return respond_page(request);
  } catch (const Refused& e) {
    return error_response(e.status, e.what());
  } catch (const NotFound& e) {
    return error_response(404, e.what());
  } catch (const std::exception& e) {
    return error_response(500, e.what());
  }
}

HttpResponse ViewServer::respond_page(const HttpRequest& request) const {
  const std::string requested = request.path == "/" ? "/index.html" : request.path;
  const bool gzip = accepts_gzip(value_of(request.headers, "accept-encoding"));
  for (const PageFile& file : page_files())
    if (file.path == requested)
      return {.type = std::string(file.type),
              .body = std::make_shared<const std::string>(gzip ? file.gzip : file.bytes),
              .encoding = gzip ? "gzip" : ""};
  throw Refused(404,
                page_files().empty() ? "this program was built without the viewer's page" : "no such page");
}

HttpResponse ViewServer::respond_api(const HttpRequest& request) {
  const std::vector<std::string> parts = parts_of(request.path);
  if (parts[1] == "control") return respond_control(request, parts);
  if (request.method == "POST") throw Refused(405, "only /api/control takes POST");
  if (parts.size() == 2) {
    if (parts[1] == "run")
      return json_response(JsonObject().raw("run", run()->description()).raw("live", state()).str());
    if (parts[1] == "metrics") return json_response(run()->metrics());
    if (parts[1] == "events") return respond_events();
  }
  if (parts[1] == "frames" && parts.size() >= 4) return respond_frame(request, parts);
  if (parts[1] == "colliders" && parts.size() == 4 && parts[3] == "mesh") {
    const std::string frame = value_of(request.query, "frame");
    return binary_response(run()->collider_mesh(to_number(parts[2], 1'000'000, "the collider"),
                                                frame.empty() ? 0 : to_frame(frame)));
  }
  throw Refused(404, "no such request");
}

HttpResponse ViewServer::respond_frame(const HttpRequest& request, const std::vector<std::string>& parts) {
  const int frame = to_frame(parts[2]);
  const std::string& what = parts[3];
  const std::string attribute = value_of(request.query, "attribute");
  if (parts.size() == 4) {
    if (what == "particles")
      return binary_response(run()->particles(frame, attribute, value_of(request.query, "ids") == "1"));
    if (what == "surface") return binary_response(run()->surface(frame, attribute));
    if (what == "colliders") return json_response(run()->collider_poses(frame));
  }
  if (parts.size() == 5 && (what == "particle" || what == "id"))
    return json_response(run()->particle(
        frame, to_number(parts[4], std::numeric_limits<std::uint64_t>::max(), "the particle"), what == "id"));
  throw Refused(404, "no such request");
}

HttpResponse ViewServer::respond_control(const HttpRequest& request, const std::vector<std::string>& parts) {
  if (request.method != "POST") throw Refused(405, "control takes POST");
  // against cross-site requests: pages of other sites need a CORS preflight for this header, which fails
  if (value_of(request.headers, "x-dollop") != "view")
    throw Refused(403, "the header 'X-Dollop: view' is missing");
  if (parts.size() != 3) throw Refused(404, "write /api/control/ORDER");
  if (!live_.control) throw Refused(409, "this run does not go on in this program");
  run();  // throws if the run has not begun
  if (!live_.control(parts[2])) throw Refused(404, "orders are pause, resume, step, stop and save");
  return json_response(state());
}

HttpResponse ViewServer::respond_events() {
  // subscribed until the connection ends
  struct Subscriber {
    ViewServer& server;
    explicit Subscriber(ViewServer& s) : server(s) {
      if (++server.streams_ > max_streams) {
        --server.streams_;
        throw Refused(503, "too many pages watch this run already");
      }
      server.watch_->subscribe();
    }
    ~Subscriber() {
      server.watch_->unsubscribe();
      --server.streams_;
    }
    Subscriber(const Subscriber&) = delete;
  };
  const auto subscriber = std::make_shared<Subscriber>(*this);
  auto seen = std::make_shared<std::uint64_t>(hub_.latest());
  auto first = std::make_shared<bool>(true);
  HttpResponse response{.type = "text/event-stream"};
  response.stream = [this, subscriber, seen, first](std::string& chunk) {
    if (*first)
      chunk = fmt::format("retry: 1000\nevent: state\ndata: {}\n\n", state());
    else
      chunk = hub_.wait(*seen, std::chrono::milliseconds(1000));
    *first = false;
    if (chunk.empty())
      chunk = ": still here\n\n";  // a keep-alive comment, which fails if the connection is gone
    return !hub_.closed();
  };
  return response;
}

}  // namespace dollop
