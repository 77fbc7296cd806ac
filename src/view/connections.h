// The connections of the server. One thread accepts them, collects their requests and sends what the other side did not
// take at once; it never waits for a single one of them. Only whole requests reach the threads that answer, so that
// connections that are slow, idle or many keep no request waiting.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dollop {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // takes the socket, which does not block; `all_unsent` counts the bytes of all connections that wait to be sent
  Connection(int socket, std::atomic<std::size_t>& all_unsent) : socket_(socket), all_unsent_(all_unsent) {}
  ~Connection();
  Connection(const Connection&) = delete;

  std::string_view request() const { return std::string_view(received_).substr(0, request_bytes_); }

  // Sends what the other side takes now and keeps the rest; false: the connection is broken, or too much waits.
  bool write(const char* data, std::size_t bytes);
  std::size_t unsent() const { return unsent_.size() - sent_; }
  int socket() const { return socket_; }

 private:
  friend class Connections;
  enum class State { reading, answering, sending };

  bool send_now();        // false: broken
  bool receive();         // false: closed by the other side, broken, or the request is too long
  bool find_request();    // whether a whole request has arrived
  void forget_request();  // it has been answered
  void give_up_unsent();

  int socket_;
  std::atomic<std::size_t>& all_unsent_;
  std::string received_ = {}, unsent_ = {};
  std::size_t request_bytes_ = 0, sent_ = 0;
  State state_ = State::reading;
  bool broken_ = false, last_ = false;  // last: closes when everything has been sent
  int requests_ = 0;
  Clock::time_point deadline_ = {}, waiting_since_ = {};
};

class Connections {
 public:
  struct Calls {
    std::function<void()> start;             // by each thread, before its work
    std::function<bool(Connection&)> admit;  // by the accepting thread; false: it was refused, with an answer
    std::function<bool(Connection&)> answer;  // by any of the other threads; false: the connection closes
  };
  Connections(int listening_socket, Calls calls);  // does not take the socket
  ~Connections();

  bool ending() const { return ending_; }

 private:
  using Clock = Connection::Clock;
  void accept_and_read();
  void poll_all();
  void accept_some();
  bool make_room();
  void turn_away();
  void on_event(Connection& connection);
  void next_request(Connection& connection);
  void answered(Connection& connection);
  void close_late();
  void take_back();
  void work();

  int listening_;
  Calls calls_;
  std::size_t max_connections_;
  int reserve_;              // a descriptor to give up when there is no other left
  std::array<int, 2> wake_;  // a pipe: the accepting thread sleeps until it is written to
  std::atomic<bool> ending_{false};
  std::atomic<std::size_t> all_unsent_{0};
  std::vector<std::unique_ptr<Connection>> held_ = {};  // of the accepting thread
  Clock::time_point accept_again_ = {};

  std::mutex guard_;  // of the two lists
  std::condition_variable queued_changed_;
  std::deque<Connection*> queued_ = {};
  std::vector<Connection*> returned_ = {};
  std::vector<std::thread> threads_ = {};
};

}  // namespace dollop
