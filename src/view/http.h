// A small HTTP server. The size of requests and the number of connections are limited; requests with a body are rejected.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace dollop {

struct HttpRequest {
  std::string method, path;                    // the path is decoded and excludes the query
  std::map<std::string, std::string> query;    // decoded; the first value of each name
  std::map<std::string, std::string> headers;  // names in lower case; the first value of each
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body = {};
  std::string encoding = {};  // of the body, such as "gzip"; empty: none
  // instead of a body: returns the next chunk of a stream, and may block for a second; false: the stream ends
  std::function<bool(std::string& chunk)> stream = {};
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;             // 0: any free port
  bool background = false;  // its threads have the lowest priority
};

struct HttpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Serves requests on its own threads until it is destroyed.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // Asked before a request may wait for anything: the answer to a request that is refused. It must not wait itself.
  using Gate = std::function<std::optional<HttpResponse>(const HttpRequest&)>;
  // Throws HttpError if it cannot bind the port.
  HttpServer(const HttpOptions& options, const Gate& refuse, Handler handler);
  ~HttpServer();
  int port() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

void lower_priority();  // of the calling thread, permanently

}  // namespace dollop
