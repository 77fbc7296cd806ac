#include "view/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "io/json.h"
#include "view/connections.h"

namespace dollop {
namespace {

// The request of a connection as a stream; what is written is handed to `write`.
class RequestStream : public httplib::Stream {
 public:
  using Write = std::function<bool(const char*, std::size_t)>;
  RequestStream(const Connection& connection, Write write)
      : connection_(connection), rest_(connection.request()), write_(std::move(write)) {}

  bool is_readable() const override { return !rest_.empty(); }
  // a subscriber of events that does not read them is given up
  bool is_writable() const override {
    constexpr std::size_t most_behind = 1 << 20;
    return connection_.unsent() < most_behind;
  }
  ssize_t read(char* to, size_t size) override {
    if (rest_.empty()) return -1;
    const std::size_t n = std::min(size, rest_.size());
    std::copy_n(rest_.data(), n, to);
    rest_.remove_prefix(n);
    return ssize_t(n);
  }
  ssize_t write(const char* from, size_t size) override { return write_(from, size) ? ssize_t(size) : -1; }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  socket_t socket() const override { return connection_.socket(); }

 private:
  const Connection& connection_;
  std::string_view rest_;
  Write write_;
};

std::string lower_case(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

HttpRequest to_request(const httplib::Request& from) {
  HttpRequest request{from.method, from.path, {}, {}};
  for (const auto& [name, value] : from.params) request.query.try_emplace(name, value);
  for (const auto& [name, value] : from.headers) request.headers.try_emplace(lower_case(name), value);
  return request;
}

void reject(int status, const char* why, httplib::Response& response) {
  response.status = status;
  response.set_content(fmt::format("{{\"error\":{}}}", json_string(why)), "application/json");
}

void fill(const HttpResponse& from, httplib::Response& response) {
  response.status = from.status;
  if (from.stream) {
    const auto stream = from.stream;
    response.set_chunked_content_provider(from.type, [stream](size_t, httplib::DataSink& sink) {
      if (!sink.is_writable()) return false;
      std::string chunk;
      const bool goes_on = stream(chunk);
      if (!chunk.empty() && !sink.write(chunk.data(), chunk.size())) return false;
      if (!goes_on) sink.done();
      return true;
    });
    return;
  }
  const auto body = from.body ? from.body : std::make_shared<const std::string>();
  if (!from.encoding.empty()) response.set_header("Content-Encoding", from.encoding);
  // not set_content(), with which httplib compresses text anew for each request: that takes long beside a run
  response.set_content_provider(body->size(), from.type,
                                [body](size_t offset, size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + offset, length);
                                });
}

// httplib's parser of requests and writer of responses, without its connections and its routing by regular expressions.
class Exchange : public httplib::Server {
 public:
  explicit Exchange(HttpServer::Handler handler) : handler_(std::move(handler)) {
    set_default_headers({{"Cache-Control", "no-store"},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Content-Security-Policy",
                          "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
                          "frame-ancestors 'none'"}});
    // not SO_REUSEPORT, httplib's default, which lets two programs listen on one port
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
      return HandlerResponse::Handled;
    });
  }

  // the port; 0: it cannot be bound
  int bind(const HttpOptions& options) {
    if (options.port == 0) return std::max(0, bind_to_any_port(options.host));
    return bind_to_port(options.host, options.port) ? options.port : 0;
  }
  int listening_socket() const { return svr_sock_; }
  void close_listening_socket() {
    if (const socket_t socket = svr_sock_.exchange(INVALID_SOCKET); socket != INVALID_SOCKET) close(socket);
  }

  // false: this was the last request of its connection
  bool answer(RequestStream& stream) {
    bool closed = false, parsed = false, last = false;
    const bool stays = process_request(stream, false, closed, [&](httplib::Request& request) {
      parsed = true;
      request.ranges.clear();  // many ranges of one large response would need much memory
      // a request that may have an unread body must be the last one of its connection
      last = (request.method != "GET" && request.method != "HEAD") || request.has_header("Content-Length") ||
             request.has_header("Transfer-Encoding");
    });
    return stays && !closed && parsed &&
           !last;  // after a malformed request the start of the next one is unknown
  }

 private:
  void respond(const httplib::Request& request, httplib::Response& response) {
    const bool has_body =
        (request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0") ||
        request.has_header("Transfer-Encoding");
    if (has_body) return reject(413, "requests have no body here", response);
    try {
      fill(handler_(to_request(request)), response);
    } catch (const std::exception& e) {
      reject(500, e.what(), response);
    }
  }

  HttpServer::Handler handler_;
};

}  // namespace

struct HttpServer::Implementation {
  bool admitted = false;  // of the request that `gate` looks at
  Exchange gate, server;
  std::unique_ptr<Connections> connections = {};
  int port = 0;

  Implementation(const Gate& refuse, Handler handler)
      : gate([this, refuse](const HttpRequest& request) {
          auto refused = refuse ? refuse(request) : std::nullopt;
          admitted = !refused;
          return refused.value_or(HttpResponse{});
        }),
        server(std::move(handler)) {}

  bool admit(Connection& connection) {
    admitted = false;
    std::string refusal;
    RequestStream stream(connection,
                         [&](const char* data, std::size_t n) { return refusal.append(data, n), true; });
    gate.answer(stream);
    if (!admitted) connection.write(refusal.data(), refusal.size());
    return admitted;
  }
  bool answer(Connection& connection) {
    RequestStream stream(connection,
                         [&](const char* data, std::size_t n) { return connection.write(data, n); });
    return server.answer(stream);
  }
};

HttpServer::HttpServer(const HttpOptions& options, const Gate& refuse, Handler handler)
    : implementation_(std::make_unique<Implementation>(refuse, std::move(handler))) {
  Implementation& i = *implementation_;
  i.port = i.server.bind(options);
  if (i.port == 0)
    throw HttpError(
        fmt::format("cannot listen on {} port {}; another program may use the port, so try --port 0 for a "
                    "free one",
                    options.host, options.port));
  const bool background = options.background;
  try {
    i.connections = std::make_unique<Connections>(
        i.server.listening_socket(),
        Connections::Calls{.start =
                               [background] {
                                 if (background) lower_priority();
                               },
                           .admit = [&i](Connection& c) { return i.admit(c); },
                           .answer = [&i](Connection& c) { return i.answer(c); }});
  } catch (const std::system_error& e) {
    throw HttpError(fmt::format("the server cannot start: {}", e.what()));
  }
}

HttpServer::~HttpServer() {
  implementation_->connections.reset();
  implementation_->server.close_listening_socket();
}

int HttpServer::port() const { return implementation_->port; }

void lower_priority() {
  // on Linux, setpriority() with a thread id affects this thread alone
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 19);
}

}  // namespace dollop
