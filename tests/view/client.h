// A minimal HTTP client on a raw socket, and a small run to view.
#pragma once

#include <arpa/inet.h>
#include <dollop/run.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

namespace dollop {

// Sends bytes to a local port and returns the bytes received until the other side closes, `enough` was received, or
// nothing arrives for `seconds`. `began` is set when the answer begins.
inline std::string talk(int port, const std::string& bytes, int seconds = 5, const std::string& enough = {},
                        std::atomic<bool>* began = nullptr) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{seconds, 0};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string answer;
  if (connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = send(s, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += std::size_t(n);
    }
    char buffer[65536];
    for (ssize_t n = 0; (n = recv(s, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, std::size_t(n));
      if (began) *began = true;
      if (!enough.empty() && answer.find(enough) != std::string::npos) break;
    }
  }
  close(s);
  return answer;
}

struct Answer {
  int status = 0;  // 0: none
  std::string head, body;
};

inline Answer to_answer(const std::string& text) {
  Answer answer;
  if (text.rfind("HTTP/1.1 ", 0) != 0) return answer;
  answer.status = std::atoi(text.c_str() + 9);
  const std::size_t end = text.find("\r\n\r\n");
  answer.head = text.substr(0, end);
  if (end != std::string::npos) answer.body = text.substr(end + 4);
  return answer;
}

inline Answer ask(int port, const std::string& target, const std::string& method = "GET",
                  const std::string& headers = "", const std::string& host = "localhost") {
  return to_answer(talk(port, method + " " + target + " HTTP/1.1\r\nHost: " + host +
                                  "\r\nConnection: close\r\n" + headers + "\r\n"));
}

// A folder that is removed at the end of the test.
struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dollop-view-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
};

inline const char* small_scene = R"(title = "A \"small\" drop"
[simulation]
duration = 0.1
frame_rate = 40
cell_size = 0.04
kernel = "quadratic"
[materials.jelly]
model = "neo-hookean"
young_modulus = 1e4
[[bodies]]
material = "jelly"
shape = { box = { center = [0, 0.2, 0], size = [0.16, 0.16, 0.16] } }
velocity = [0, -1, 0]
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
[[colliders]]
name = "rod"
shape = { capsule = { from = [-0.1, 0.05, 0], to = [0.1, 0.05, 0], radius = 0.02 } }
motion = { velocity = [0.1, 0, 0] }
until = "75 ms"
)";

// Runs the scene into the folder: frames 0 to 4.
inline RunResult make_small_run(const std::filesystem::path& folder, RunOptions options = {}) {
  options.folder = folder;
  options.force = true;
  return run_scene(parse_scene(small_scene, folder / "scene.toml"), options);
}

}  // namespace dollop
