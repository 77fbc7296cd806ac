// The viewer's server: the page, and what the page asks of a run. Requests and answers: docs/viewer.md.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "view/events.h"
#include "view/http.h"

namespace dollop {

// How a run that goes on in this process is seen and steered; empty functions: there is none.
struct LiveHooks {
  std::function<bool()> ready = {};         // whether the run has made its folder
  std::function<bool()> busy = {};          // whether it makes steps now
  std::function<std::string()> state = {};  // JSON
  std::function<bool(const std::string& order)> steer =
      {};  // pause resume step stop save; false: no such order
};

class ViewServer {
 public:
  // Throws HttpError. Bound to other addresses than those of this machine alone, it asks for a token.
  ViewServer(const std::filesystem::path& folder, const HttpOptions& options, LiveHooks live = {});
  ~ViewServer();

  int port() const { return http_->port(); }
  std::string url() const;  // with the token
  const std::string& token() const { return token_; }
  EventHub& events() { return hub_; }

 private:
  HttpAnswer answer(const HttpRequest& request);
  HttpAnswer answer_page(const std::string& path) const;
  HttpAnswer answer_api(const HttpRequest& request);
  HttpAnswer answer_frame(const HttpRequest& request, const std::vector<std::string>& parts);
  HttpAnswer answer_control(const HttpRequest& request, const std::vector<std::string>& parts);
  HttpAnswer answer_events();
  std::shared_ptr<RunReader> run();
  std::string state() const;

  HttpOptions options_;
  LiveHooks live_;
  std::string token_ = {};
  EventHub hub_;
  RunSource source_;
  std::unique_ptr<FolderWatch> watch_;
  std::atomic<int> streams_{0};
  std::unique_ptr<HttpServer> http_;  // last: it uses the rest
};

// Whether only programs of this machine can reach an address.
bool is_loopback(const std::string& host);

}  // namespace dollop
