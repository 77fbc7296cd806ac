#include "view/connections.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace dollop {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_request_bytes = 8192;             // including headers
constexpr int max_requests = 10000;                         // per connection
constexpr int workers = 24;                                 // each answers one request at a time
constexpr auto idle_limit = 30s;                            // between two requests
constexpr auto request_limit = 10s;                         // from the first byte of a request to its last
constexpr auto write_limit = 30s;                           // without any progress
constexpr std::size_t max_unsent = std::size_t(512) << 20;  // of all connections [bytes]

// A quarter of what the process may open: the rest is for the run, whose files must never lack a descriptor.
std::size_t connections_allowed() {
  rlimit limit{};
  const std::size_t open = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::size_t(limit.rlim_cur) : 256;
  return std::clamp<std::size_t>(open / 4, 8, 256);
}

int open_reserve() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

}  // namespace

// --- Connection -------------------------------------------------------------------------------------------

Connection::~Connection() {
  give_up_unsent();
  shutdown(socket_, SHUT_RDWR);
  close(socket_);
}

void Connection::give_up_unsent() {
  all_unsent_ -= unsent();
  unsent_.clear();
  sent_ = 0;
}

bool Connection::send_now() {
  while (!broken_ && unsent() > 0) {
    const ssize_t n = send(socket_, unsent_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n <= 0) {
      broken_ = true;
      break;
    }
    sent_ += std::size_t(n);
    all_unsent_ -= std::size_t(n);
  }
  if (!broken_) unsent_.clear(), sent_ = 0;
  return !broken_;
}

bool Connection::write(const char* data, std::size_t bytes) {
  if (!send_now()) return false;
  while (bytes > 0 && unsent() == 0) {
    const ssize_t n = send(socket_, data, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n <= 0) return broken_ = true, false;
    data += n;
    bytes -= std::size_t(n);
  }
  if (all_unsent_ + bytes > max_unsent) return broken_ = true, false;
  unsent_.append(data, bytes);
  all_unsent_ += bytes;
  return true;
}

bool Connection::receive() {
  std::array<char, 4096> buffer;
  const bool was_empty = received_.empty();
  const ssize_t n = recv(socket_, buffer.data(), buffer.size(), 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return true;
  if (n <= 0) return false;
  received_.append(buffer.data(), std::size_t(n));
  if (was_empty) deadline_ = Clock::now() + request_limit;
  return find_request() || received_.size() < max_request_bytes;
}

bool Connection::find_request() {
  constexpr std::string_view end = "\r\n\r\n";
  const std::size_t at = received_.find(end);
  request_bytes_ = at == std::string::npos ? 0 : at + end.size();
  return request_bytes_ > 0;
}

void Connection::forget_request() {
  received_.erase(0, request_bytes_);
  request_bytes_ = 0;
}

// --- Connections ------------------------------------------------------------------------------------------

Connections::Connections(int listening_socket, Calls calls)
    : listening_(listening_socket),
      calls_(std::move(calls)),
      max_connections_(connections_allowed()),
      reserve_(open_reserve()) {
  if (pipe2(wake_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot open a pipe");
  fcntl(listening_, F_SETFL, fcntl(listening_, F_GETFL) | O_NONBLOCK);
  listen(listening_, int(max_connections_));  // a longer queue than before
  threads_.emplace_back([this] { accept_and_read(); });
  for (int k = 0; k < workers; ++k) threads_.emplace_back([this] { work(); });
}

Connections::~Connections() {
  {
    const std::lock_guard lock(guard_);
    ending_ = true;
  }
  queued_changed_.notify_all();
  [[maybe_unused]] const ssize_t woken = ::write(wake_[1], "", 1);
  for (std::thread& thread : threads_) thread.join();
  for (const int descriptor : {wake_[0], wake_[1], reserve_})
    if (descriptor >= 0) close(descriptor);
}

void Connections::work() {
  calls_.start();
  std::unique_lock lock(guard_);
  while (true) {
    queued_changed_.wait(lock, [&] { return ending_ || !queued_.empty(); });
    if (ending_) return;
    Connection& connection = *queued_.front();
    queued_.pop_front();
    lock.unlock();
    const bool stays = calls_.answer(connection);
    if (!stays) connection.last_ = true;
    lock.lock();
    returned_.push_back(&connection);
    [[maybe_unused]] const ssize_t woken = ::write(wake_[1], "", 1);  // a full pipe wakes too
  }
}

void Connections::accept_and_read() {
  calls_.start();
  while (!ending_) {
    take_back();
    close_late();
    poll_all();
  }
}

// connections whose answer is complete
void Connections::take_back() {
  std::vector<Connection*> returned;
  {
    const std::lock_guard lock(guard_);
    returned.swap(returned_);
  }
  for (Connection* connection : returned) answered(*connection);
}

void Connections::answered(Connection& connection) {
  connection.forget_request();
  connection.send_now();
  connection.state_ = connection.unsent() > 0 ? Connection::State::sending : Connection::State::reading;
  connection.deadline_ = Clock::now() + (connection.unsent() > 0 ? Clock::duration(write_limit) : idle_limit);
  connection.waiting_since_ = Clock::now();
  if (connection.broken_ || connection.unsent() > 0) return;
  if (connection.last_)
    connection.broken_ = true;
  else if (connection.find_request())
    next_request(connection);
}

void Connections::next_request(Connection& connection) {
  connection.last_ = ++connection.requests_ >= max_requests;
  if (!calls_.admit(connection)) {
    connection.last_ = true;
    return answered(connection);
  }
  connection.state_ = Connection::State::answering;
  {
    const std::lock_guard lock(guard_);
    queued_.push_back(&connection);
  }
  queued_changed_.notify_one();
}

void Connections::close_late() {
  const auto now = Clock::now();
  std::erase_if(held_, [&](const std::unique_ptr<Connection>& c) {
    return c->state_ != Connection::State::answering && (c->broken_ || now > c->deadline_);
  });
}

void Connections::on_event(Connection& connection) {
  if (connection.state_ == Connection::State::reading) {
    if (!connection.receive())
      connection.broken_ = true;
    else if (connection.request_bytes_ > 0)
      next_request(connection);
    return;
  }
  const std::size_t before = connection.unsent();
  connection.send_now();
  if (connection.unsent() < before) connection.deadline_ = Clock::now() + write_limit;
  if (connection.unsent() == 0) answered(connection);
}

void Connections::poll_all() {
  constexpr auto longest_sleep = 500ms;
  const auto now = Clock::now();
  std::vector<pollfd> descriptors{{wake_[0], POLLIN, 0},
                                  {listening_, short(now < accept_again_ ? 0 : POLLIN), 0}};
  std::vector<Connection*> asked;
  for (const auto& c : held_) {
    if (c->state_ == Connection::State::answering) continue;
    asked.push_back(c.get());
    descriptors.push_back({c->socket_, short(c->state_ == Connection::State::reading ? POLLIN : POLLOUT), 0});
  }
  const auto sleep = now < accept_again_ ? 50ms : longest_sleep;
  if (poll(descriptors.data(), descriptors.size(), int(sleep.count())) <= 0) return;
  std::array<char, 64> ignored;
  while (read(wake_[0], ignored.data(), ignored.size()) > 0) {
  }
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (descriptors[k + 2].revents != 0) on_event(*asked[k]);
  if (descriptors[1].revents != 0) accept_some();
}

// A few at a time: a request that has arrived is read before its connection may have to make room for others.
void Connections::accept_some() {
  constexpr int most_at_a_time = 4;
  for (int k = 0; k < most_at_a_time; ++k) {
    if (!make_room()) {
      accept_again_ = Clock::now() + 50ms;
      return;
    }
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
      return turn_away();
    if (socket < 0) return;
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto connection = std::make_unique<Connection>(socket, all_unsent_);
    connection->waiting_since_ = Clock::now();
    connection->deadline_ = connection->waiting_since_ + idle_limit;
    held_.push_back(std::move(connection));
  }
}

// The connection that has waited the longest for the other side makes room; false: all of them wait for this side.
bool Connections::make_room() {
  if (held_.size() < max_connections_) return true;
  const auto rank = [](const std::unique_ptr<Connection>& c) {
    return c->state_ == Connection::State::answering ? Clock::time_point::max() : c->waiting_since_;
  };
  const auto longest = std::min_element(held_.begin(), held_.end(),
                                        [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if ((*longest)->state_ == Connection::State::answering) return false;
  held_.erase(longest);
  return true;
}

// Closes a connection that no descriptor is left for, so that its other side need not wait.
void Connections::turn_away() {
  if (reserve_ >= 0) close(reserve_);
  const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) close(socket);
  reserve_ = open_reserve();
  accept_again_ = Clock::now() + 50ms;  // descriptors may become free meanwhile
}

}  // namespace dollop
