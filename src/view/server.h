// The viewer's server: it serves the page and the page's requests about a run. Protocol: docs/viewer.md.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/events.h"
#include "view/http.h"

namespace dollop {

// Access to a run in progress in this process; empty functions: there is none.
struct LiveHooks {
  std::function<bool()> ready = {};         // whether the run has created its folder
  std::function<bool()> busy = {};          // whether it is computing now
  std::function<std::string()> state = {};  // JSON
  std::function<bool(const std::string& command)> control =
      {};  // pause, resume, step, stop or save; false: unknown command
};

class ViewServer {
 public:
  // Throws HttpError. Requires a token unless it is bound to a loopback address.
  ViewServer(const std::filesystem::path& folder, const HttpOptions& options, LiveHooks live = {});
  ~ViewServer();

  int port() const { return http_->port(); }
  std::string url() const;  // including the token
  const std::string& token() const { return token_; }
  EventHub& events() { return hub_; }

 private:
  std::optional<HttpResponse> refuse(const HttpRequest& request) const;
  HttpResponse respond(const HttpRequest& request);
  HttpResponse respond_page(const HttpRequest& request) const;
  HttpResponse respond_api(const HttpRequest& request);
  HttpResponse respond_frame(const HttpRequest& request, const std::vector<std::string>& parts);
  HttpResponse respond_control(const HttpRequest& request, const std::vector<std::string>& parts);
  HttpResponse respond_events();
  std::shared_ptr<RunReader> run();
  std::string state() const;

  HttpOptions options_;
  LiveHooks live_;
  std::string token_ = {};
  EventHub hub_;
  RunSource source_;
  std::unique_ptr<FolderWatch> watch_;
  std::atomic<int> streams_{0};
  std::unique_ptr<HttpServer> http_;  // last: it uses the other members
};

// Whether a host is a loopback address, which only programs on this machine can reach.
bool is_loopback(const std::string& host);

}  // namespace dollop
