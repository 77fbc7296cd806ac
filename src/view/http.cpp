#include "view/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <thread>

#include "io/json.h"

namespace dollop {
namespace {

constexpr std::size_t max_request_bytes = 8192;  // including headers
constexpr int max_requests = 10000;              // per connection
constexpr int threads = 24;                      // each serves one connection
constexpr auto poll_interval = std::chrono::milliseconds(100);
constexpr auto idle_limit = std::chrono::seconds(30);     // between two requests
constexpr auto request_limit = std::chrono::seconds(10);  // from the first byte of a request to its last
constexpr auto write_limit = std::chrono::seconds(30);    // without any progress

using Clock = std::chrono::steady_clock;

// A connection that drops requests that are too long or too slow, and closes when the server ends.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, const std::atomic<bool>& ending) : socket_(socket), ending_(ending) {}

  // Waits for the first byte of a request; false: none came.
  bool await_request() {
    received_ = 0;
    deadline_ = Clock::now() + idle_limit;
    if (!is_readable()) return false;
    deadline_ = Clock::now() + request_limit;
    return true;
  }

  bool is_readable() const override { return begin_ < end_ || ready(POLLIN, deadline_); }
  bool is_writable() const override { return ready(POLLOUT, Clock::now() + write_limit); }

  ssize_t read(char* to, size_t size) override {
    if (begin_ == end_) {
      if (received_ >= max_request_bytes || !ready(POLLIN, deadline_)) return -1;
      const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (got <= 0) return got;
      begin_ = 0, end_ = std::size_t(got);
      received_ += end_;
    }
    const std::size_t n = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, n, to);
    begin_ += n;
    return ssize_t(n);
  }

  ssize_t write(const char* from, size_t size) override {
    if (!is_writable()) return -1;
    return send(socket_, from, size, MSG_NOSIGNAL);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  socket_t socket() const override { return socket_; }

 private:
  bool ready(short events, Clock::time_point until) const {
    while (!ending_ && Clock::now() < until) {
      pollfd waiting{socket_, events, 0};
      const int result = poll(&waiting, 1, int(poll_interval.count()));
      if (result > 0) return (waiting.revents & (events | POLLHUP | POLLERR)) != 0;
      if (result < 0 && errno != EINTR) return false;
    }
    return false;
  }

  socket_t socket_;
  const std::atomic<bool>& ending_;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0, end_ = 0, received_ = 0;
  Clock::time_point deadline_ = {};
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
      std::string chunk;
      const bool goes_on = stream(chunk);
      if (!chunk.empty() && !sink.write(chunk.data(), chunk.size())) return false;
      if (!goes_on) sink.done();
      return true;
    });
    return;
  }
  const auto body = from.body ? from.body : std::make_shared<const std::string>();
  if (from.type != "application/octet-stream") {  // httplib may compress these
    response.set_content(*body, from.type);
    return;
  }
  response.set_content_provider(body->size(), from.type,
                                [body](size_t offset, size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + offset, length);
                                });
}

// httplib's server with limits on connections and without its routing by regular expressions.
class Listener : public httplib::Server {
 public:
  Listener(HttpServer::Handler handler, bool background)
      : handler_(std::move(handler)), background_(background) {
    new_task_queue = [] { return new httplib::ThreadPool(threads); };
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
    set_tcp_nodelay(true);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
      return HandlerResponse::Handled;
    });
  }

  void end() {
    ending_ = true;
    stop();
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

  bool process_and_close_socket(socket_t socket) override {
    thread_local bool lowered = false;
    if (background_ && !lowered) lower_priority(), lowered = true;
    BoundedStream stream(socket, ending_);
    bool keep_alive = true;
    for (int left = max_requests; keep_alive && left > 0 && !ending_ && stream.await_request(); --left) {
      bool closed = false, parsed = false;
      keep_alive = process_request(stream, left == 1, closed, [&](httplib::Request& request) {
        parsed = true;
        request.ranges.clear();  // many ranges of one large response would need much memory
        // a request that may have an unread body must be the last one of its connection
        if (request.method != "GET" && request.method != "HEAD") left = 1;
        if (request.has_header("Content-Length") || request.has_header("Transfer-Encoding")) left = 1;
      });
      keep_alive =
          keep_alive && !closed && parsed;  // after a malformed request the start of the next one is unknown
    }
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return keep_alive;
  }

  HttpServer::Handler handler_;
  bool background_;
  std::atomic<bool> ending_{false};
};

}  // namespace

struct HttpServer::Implementation {
  Listener listener;
  int port = 0;
  std::thread thread = {};
  Implementation(Handler handler, bool background) : listener(std::move(handler), background) {}
};

HttpServer::HttpServer(const HttpOptions& options, Handler handler)
    : implementation_(std::make_unique<Implementation>(std::move(handler), options.background)) {
  Implementation& i = *implementation_;
  i.port = options.port;
  const bool bound = options.port == 0 ? (i.port = i.listener.bind_to_any_port(options.host)) > 0
                                       : i.listener.bind_to_port(options.host, options.port);
  if (!bound)
    throw HttpError(
        fmt::format("cannot listen on {} port {}; another program may use the port, so try --port 0 for a "
                    "free one",
                    options.host, options.port));
  i.thread = std::thread([&i] { i.listener.listen_after_bind(); });
  while (!i.listener.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

HttpServer::~HttpServer() {
  implementation_->listener.end();
  implementation_->thread.join();
}

int HttpServer::port() const { return implementation_->port; }

void lower_priority() {
  // on Linux, setpriority() with a thread id affects this thread alone
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 19);
}

}  // namespace dollop
