// A small HTTP server: requests in, answers out. What a request may hold is bounded, bodies are refused.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace dollop {

struct HttpRequest {
  std::string method, path;                    // the path without the query, decoded
  std::map<std::string, std::string> query;    // decoded; the first of each name
  std::map<std::string, std::string> headers;  // names in lower case; the first of each
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body = {};
  // instead of a body: the next piece of a stream, which may wait for a second; false: it ends here
  std::function<bool(std::string& piece)> stream = {};
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;             // 0: one that is free
  bool background = false;  // lets everything else on the machine go first
};

struct HttpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Answers on threads of its own from the start on, until it goes.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;
  HttpServer(const HttpOptions& options, Handler handler);  // throws HttpError if it cannot listen there
  ~HttpServer();
  int port() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

void lower_priority();  // of this thread, for good

}  // namespace dollop
