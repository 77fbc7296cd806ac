#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>
#include <vector>

#include "client.h"
#include "view/server.h"

namespace dollop {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A connection that has sent some bytes, and neither sends nor reads any more.
class SilentClient {
 public:
  SilentClient(int port, const std::string& bytes) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  SilentClient(SilentClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~SilentClient() {
    if (socket_ >= 0) close(socket_);
  }
  // whether the other side closes the connection within these seconds
  bool is_closed_within(int seconds) const {
    const timeval patience{seconds, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte = 0;
    ssize_t n = 0;
    while ((n = recv(socket_, &byte, 1, 0)) > 0) {
    }
    return n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }

 private:
  int socket_;
};

std::vector<SilentClient> silent_clients(int count, int port, const std::string& bytes) {
  std::vector<SilentClient> clients;
  for (int k = 0; k < count; ++k) clients.emplace_back(port, bytes);
  return clients;
}

class Connections : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    ASSERT_EQ(make_small_run(folder->path / "run").status, RunResult::Status::finished);
  }
  static void TearDownTestSuite() { delete folder; }
  std::filesystem::path run() const { return folder->path / "run"; }

  static void expect_quick_answer(int port) {
    const auto start = Clock::now();
    EXPECT_EQ(ask(port, "/api/metrics").status, 200);
    EXPECT_LT(seconds_since(start), 1);
  }
  static TemporaryFolder* folder;
};
TemporaryFolder* Connections::folder = nullptr;

TEST_F(Connections, those_that_send_nothing_delay_no_one) {
  const ViewServer server(run(), {});
  const auto idle = silent_clients(200, server.port(), "");
  expect_quick_answer(server.port());
}

TEST_F(Connections, those_that_send_half_a_request_delay_no_one) {
  const ViewServer server(run(), {});
  const auto slow = silent_clients(200, server.port(), "GET /api/run HTTP/1.1\r\nHost: loc");
  expect_quick_answer(server.port());
}

TEST_F(Connections, those_that_read_no_answer_delay_no_one) {
  const ViewServer server(run(), {});
  std::string requests;  // more answers than the buffers of a connection hold
  for (int k = 0; k < 60; ++k) requests += "GET /api/colliders/1/mesh HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto deaf = silent_clients(200, server.port(), requests);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  expect_quick_answer(server.port());
}

TEST_F(Connections, the_one_that_waited_longest_makes_room) {
  const ViewServer server(run(), {});
  const SilentClient first(server.port(), "");
  const auto others = silent_clients(400, server.port(), "");
  EXPECT_TRUE(first.is_closed_within(2));
  expect_quick_answer(server.port());
}

TEST_F(Connections, an_answer_that_is_read_late_is_whole) {
  const ViewServer server(run(), {});
  const std::string once = ask(server.port(), "/api/colliders/1/mesh").body;
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  const int little = 4096;
  setsockopt(s, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  constexpr int count = 200;  // far more than the buffers of the connection hold
  std::string requests;
  for (int k = 0; k < count; ++k)
    requests += std::string("GET /api/colliders/1/mesh HTTP/1.1\r\nHost: localhost\r\n") +
                (k + 1 < count ? "\r\n" : "Connection: close\r\n\r\n");
  for (std::size_t sent = 0; sent < requests.size();) {
    const ssize_t n = send(s, requests.data() + sent, requests.size() - sent, MSG_NOSIGNAL);
    ASSERT_GT(n, 0);
    sent += std::size_t(n);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::string text(1 << 20, '\0');
  std::size_t bytes = 0, bodies = 0;
  for (ssize_t n = 0; (n = recv(s, text.data(), text.size(), 0)) > 0;) bytes += std::size_t(n);
  close(s);
  bodies = count * once.size();
  EXPECT_GT(bytes, bodies);
  EXPECT_LT(bytes, bodies + count * 1000);
}

TEST_F(Connections, a_wrong_token_waits_for_nothing) {
  std::atomic<bool> go_on{false};
  LiveHooks hooks;
  hooks.state = [] { return std::string("{}"); };
  hooks.control = [&](const std::string&) {
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  };
  const ViewServer server(run(), {.host = "0.0.0.0"}, hooks);
  // every thread of the server is busy, and more requests wait
  const auto busy = silent_clients(60, server.port(),
                                   "POST /api/control/save?token=" + server.token() +
                                       " HTTP/1.1\r\nHost: machine\r\nX-Dollop: view\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = Clock::now();
  EXPECT_EQ(ask(server.port(), "/api/run?token=" + std::string(32, '0'), "GET", "", "machine").status, 403);
  EXPECT_LT(seconds_since(start), 1);
  go_on = true;
}

// lowers the limit of descriptors and opens as many as there are
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    taken_.push_back(next);
    rlimit limit = before_;
    limit.rlim_cur = rlim_t(next) + 4;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int d = 0; (d = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(d);
  }
  ~NoDescriptors() {
    for (const int d : taken_) close(d);
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  void give_back(int count) {
    for (; count > 0; --count) close(taken_.back()), taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST_F(Connections, without_descriptors_the_server_waits_for_some) {
  const ViewServer server(run(), {});
  {
    NoDescriptors none;
    none.give_back(1);  // for the client alone
    const SilentClient refused(server.port(), "GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(refused.is_closed_within(2));
  }
  expect_quick_answer(server.port());
}

}  // namespace
}  // namespace dollop
