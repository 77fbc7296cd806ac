#include "view/server.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "client.h"
#include "io/json.h"
#include "view/page.h"

namespace dollop {
namespace {

// one run for all tests: nothing here changes it
class Server : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    ASSERT_EQ(make_small_run(folder->path / "run").status, RunResult::Status::finished);
    std::ofstream(folder->path / "secret.txt") << "secret";
  }
  static void TearDownTestSuite() { delete folder; }
  Server() : server(folder->path / "run", {}) {}
  Answer get(const std::string& target) const { return ask(server.port(), target); }

  static TemporaryFolder* folder;
  ViewServer server;
};
TemporaryFolder* Server::folder = nullptr;

TEST_F(Server, describes_the_run) {
  const Answer answer = get("/api/run");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(is_json(answer.body)) << answer.body;
  for (const char* part :
       {R"("title":"A \"small\" drop")", R"("frames":[0,1,2,3,4])", R"("look":"rubber")", R"("name":"rod")",
        R"("moves":true)", R"("plane":{"point":[0,0,0])", R"("speed")", R"("live":{"state":"recorded"})"})
    EXPECT_NE(answer.body.find(part), std::string::npos) << part << "\n" << answer.body;
}

TEST_F(Server, gives_frames_particles_and_metrics) {
  const Answer particles = get("/api/frames/2/particles?attribute=speed");
  EXPECT_EQ(particles.status, 200);
  EXPECT_EQ(particles.body.substr(0, 8), "DOLLOP1\n");
  EXPECT_NE(particles.body.find("\"quantity\":{\"name\":\"speed\""), std::string::npos);
  EXPECT_EQ(get("/api/frames/2/particles").body.find("\"quantity\""), std::string::npos);
  EXPECT_NE(get("/api/frames/2/particles?ids=1").body.find("\"ids\""), std::string::npos);
  const Answer one = get("/api/frames/2/particle/5");
  EXPECT_EQ(one.status, 200);
  EXPECT_TRUE(is_json(one.body));
  EXPECT_NE(one.body.find("\"id\":5"), std::string::npos) << one.body;
  EXPECT_EQ(get("/api/frames/2/id/5").body, one.body);
  EXPECT_NE(get("/api/frames/4/colliders").body.find("\"translation\":[0.01"), std::string::npos);
  EXPECT_EQ(get("/api/frames/2/colliders").body.find("\"there\":false"), std::string::npos);
  EXPECT_NE(get("/api/frames/3/colliders").body.find("\"there\":false}]"), std::string::npos);
  const Answer metrics = get("/api/metrics");
  EXPECT_TRUE(is_json(metrics.body));
  EXPECT_NE(metrics.body.find("\"rows\":5"), std::string::npos);
  EXPECT_NE(metrics.body.find("\"frame\":[0,1,2,3,4]"), std::string::npos);
}

TEST_F(Server, gives_the_page_as_it_was_compressed_when_the_program_was_built) {
  if (page_files().empty()) GTEST_SKIP() << "the program was built without the viewer";
  for (const PageFile& file : page_files()) {
    const std::string target(file.path);
    const Answer plain = get(target),
                 packed = ask(server.port(), target, "GET", "Accept-Encoding: br, gzip\r\n");
    EXPECT_EQ(plain.body, file.bytes);
    EXPECT_EQ(plain.head.find("Content-Encoding"), std::string::npos);
    EXPECT_EQ(packed.body, file.gzip);
    EXPECT_NE(packed.head.find("Content-Encoding: gzip"), std::string::npos) << packed.head;
    EXPECT_EQ(packed.body.substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(ask(server.port(), target, "GET", "Accept-Encoding: gzip;q=0\r\n").body, file.bytes);
  }
  // what changes is not compressed at all, for the browser is mostly on the same machine
  const Answer metrics = ask(server.port(), "/api/metrics", "GET", "Accept-Encoding: br, gzip\r\n");
  EXPECT_EQ(metrics.head.find("Content-Encoding"), std::string::npos) << metrics.head;
}

TEST_F(Server, gives_meshes) {
  const Answer surface = get("/api/frames/0/surface?attribute=J");
  EXPECT_EQ(surface.status, 200);
  EXPECT_NE(surface.body.find("\"normals\""), std::string::npos);
  EXPECT_EQ(get("/api/frames/0/surface?attribute=J").body, surface.body);
  const Answer rod = get("/api/colliders/1/mesh");
  EXPECT_EQ(rod.status, 200);
  EXPECT_GT(rod.body.size(), 5000u);
}

TEST_F(Server, says_what_is_not_there) {
  for (const char* target :
       {"/api/frames/5/particles", "/api/frames/999999999/surface", "/api/frames/0/particle/1000000",
        "/api/frames/0/id/18446744073709551615", "/api/colliders/2/mesh", "/api/none", "/api/", "/api",
        "/api/frames", "/api/frames/0", "/api/frames/0/none", "/none", "/assets/none.js", "//",
        "/index.html/"}) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_TRUE(is_json(answer.body)) << target;
  }
}

TEST_F(Server, refuses_numbers_that_are_none) {
  for (const char* target :
       {"/api/frames/-1/particles", "/api/frames/1e3/particles", "/api/frames/%00/particles",
        "/api/frames/0x1/particles", "/api/frames//particles", "/api/frames/1000000000/particles",
        "/api/frames/99999999999999999999/particles", "/api/frames/0/particle/-1",
        "/api/frames/0/particle/99999999999999999999", "/api/colliders/x/mesh",
        "/api/colliders/1/mesh?frame=x"})
    EXPECT_EQ(get(target).status, 400) << target;
}

TEST_F(Server, no_path_leads_to_a_file) {
  for (const char* target :
       {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/scene.toml",
        "/run/scene.toml", "/frames/particles.0000.bgeo", "/api/frames/..%2f..%2fsecret.txt/particles",
        "/api/frames/0/..%2f..%2f..%2fsecret.txt", "/....//secret.txt", "/%252e%252e/secret.txt",
        "/api/frames/0/particles/../../../../secret.txt", "/etc/passwd", "//etc/passwd",
        "/assets/%2fetc%2fpasswd"}) {
    const Answer answer = get(target);
    EXPECT_GE(answer.status, 400) << target;
    EXPECT_LT(answer.status, 500) << target;
    EXPECT_EQ(answer.body.find("secret\n"), std::string::npos);
  }
}

TEST_F(Server, survives_malformed_requests) {
  const std::string tail = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  const std::vector<std::string> requests{
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET /\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET  / HTTP/1.1\r\n\r\n",
      "BREW /" + tail + "\r\n",
      "PUT /api/run" + tail + "Content-Length: 3\r\n\r\nabc",
      "DELETE /api/frames/0/particles" + tail + "\r\n",
      "POST /api/run" + tail + "Content-Length: 0\r\n\r\n",
      "POST /api/control/stop" + tail + "X-Dollop: view\r\nContent-Length: 5\r\n\r\nhello",
      "POST /api/control/stop" + tail + "X-Dollop: view\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /api/control/stop" + tail + "X-Dollop: view\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
      "GET /" + std::string(9000, 'a') + tail + "\r\n",
      "GET /api/run" + tail + "X: " + std::string(9000, 'b') + "\r\n\r\n",
      "GET /api/run?" + std::string(4000, '&') + tail + "\r\n",
      "GET /%zz%" + tail + "\r\n",
      "GET /api/frames/0/particles?attribute=%00%ff%fe" + tail + "Range: bytes=" + std::string(7000, '-') +
          "\r\n\r\n",
      std::string("GET /\0 HTTP/1.1\r\n\r\n", 19),
  };
  for (const std::string& request : requests) {
    const std::string text = talk(server.port(), request, 2);
    const Answer answer = to_answer(text);
    if (!text.empty()) {
      EXPECT_TRUE((answer.status >= 400 && answer.status < 500) || answer.status == 200)
          << request.substr(0, 80) << " -> " << text.substr(0, 80);
    }
  }
  std::mt19937 random(1);
  for (int k = 0; k < 60; ++k) {  // and any bytes at all
    std::string bytes = k % 2 ? "GET /api/" : "";
    for (int i = 0; i < 300; ++i) bytes += char(random());
    talk(server.port(), bytes + "\r\n\r\n", 1, "HTTP/1.1 4");
  }
  EXPECT_EQ(get("/api/metrics").status, 200);
}

TEST_F(Server, many_ranges_are_not_served) {
  std::string ranges = "Range: bytes=0-1";
  for (int k = 0; k < 500; ++k) ranges += ",0-";
  const Answer whole = get("/api/frames/0/particles");
  const Answer answer = ask(server.port(), "/api/frames/0/particles", "GET", ranges + "\r\n");
  EXPECT_EQ(answer.body.size(), whole.body.size());
}

TEST_F(Server, answers_head_and_several_requests_on_a_connection) {
  const std::string one = "HEAD /api/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string two =
      "GET /api/frames/0/colliders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const std::string text = talk(server.port(), one + two);
  EXPECT_NE(text.find("HTTP/1.1 200", 20), std::string::npos) << text.substr(0, 400);
}

TEST_F(Server, only_this_machines_names_are_answered) {
  for (const char* host : {"localhost", "127.0.0.1:80", "[::1]:1234", "localhost:99"})
    EXPECT_EQ(ask(server.port(), "/api/metrics", "GET", "", host).status, 200) << host;
  for (const char* host :
       {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "", "[::1]evil.com",
        "[::1]:80.evil.com", "[::1", "127.", "127.1", "127.0.0.1:", "127.0.0.1:80x", "127.0.0.256"})
    EXPECT_EQ(ask(server.port(), "/api/metrics", "GET", "", host).status, 403) << host;
  EXPECT_EQ(to_answer(talk(server.port(), "GET /api/metrics HTTP/1.0\r\n\r\n")).status, 403);
}

TEST_F(Server, recorded_runs_cannot_be_steered) {
  EXPECT_EQ(ask(server.port(), "/api/control/pause", "POST", "X-Dollop: view\r\n").status, 409);
  EXPECT_EQ(ask(server.port(), "/api/control/pause", "POST").status,
            403);  // as another site's page would ask
  EXPECT_EQ(ask(server.port(), "/api/control/pause", "GET", "X-Dollop: view\r\n").status, 405);
}

TEST_F(Server, sends_headers_that_keep_others_out) {
  const std::string head = get("/api/metrics").head;
  for (const char* header : {"X-Content-Type-Options: nosniff", "frame-ancestors 'none'",
                             "Referrer-Policy: no-referrer", "Cache-Control: no-store"})
    EXPECT_NE(head.find(header), std::string::npos) << header;
  EXPECT_EQ(head.find("Access-Control-Allow-Origin"), std::string::npos);
}

TEST_F(Server, serves_the_page_if_there_is_one) {
  const Answer page = get("/");
  if (page_files().empty()) {
    EXPECT_EQ(page.status, 404);
    return;
  }
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<title>Dollop</title>"), std::string::npos);
  EXPECT_EQ(get("/assets/viewer.js").status, 200);
  EXPECT_EQ(get("/assets/viewer.css").status, 200);
}

TEST_F(Server, other_addresses_need_the_token) {
  ViewServer open(folder->path / "run", {.host = "0.0.0.0"});
  const auto status = [&](const std::string& target) {
    return ask(open.port(), target, "GET", "", "machine").status;
  };
  ASSERT_EQ(open.token().size(), 32u);
  EXPECT_EQ(status("/api/metrics"), 403);
  EXPECT_EQ(status("/"), 403);
  EXPECT_EQ(status("/api/metrics?token="), 403);
  EXPECT_EQ(status("/api/metrics?token=" + open.token().substr(1)), 403);
  EXPECT_EQ(status("/api/metrics?token=" + open.token() + "x"), 403);
  EXPECT_EQ(status("/api/metrics?token=" + open.token()), 200);
  EXPECT_NE(open.url().find("?token=" + open.token()), std::string::npos);
  ViewServer another(folder->path / "run", {.host = "0.0.0.0"});
  EXPECT_NE(open.token(), another.token());
  EXPECT_TRUE(server.token().empty());
}

TEST_F(Server, a_port_that_is_taken_is_an_error) {
  EXPECT_THROW(ViewServer(folder->path / "run", {.port = server.port()}), HttpError);
}

TEST_F(Server, events_are_bounded) {
  std::vector<std::thread> watchers;
  std::atomic<int> good{0}, refused{0};
  for (int k = 0; k < 20; ++k)
    watchers.emplace_back([&] {
      const std::string request = "GET /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const Answer answer = to_answer(talk(server.port(), request, 3, "still here"));
      ++(answer.status == 200 ? good : refused);
    });
  for (auto& w : watchers) w.join();
  EXPECT_EQ(good, 12);
  EXPECT_EQ(refused, 8);
}

TEST(ServerOfNothing, says_so) {
  const TemporaryFolder folder;
  ViewServer server(folder.path / "none", {});
  EXPECT_EQ(ask(server.port(), "/api/run").status, 503);
  std::filesystem::create_directories(folder.path / "none/frames");
  std::ofstream(folder.path / "none/scene.toml") << "this is no scene";
  EXPECT_EQ(ask(server.port(), "/api/run").status, 500);
}

TEST(ServerOfAGrowingRun, tells_of_frames_and_metrics) {
  const TemporaryFolder folder;
  ASSERT_EQ(make_small_run(folder.path / "all").status, RunResult::Status::finished);
  const auto from = folder.path / "all", to = folder.path / "run";
  std::filesystem::create_directories(to / "frames");
  std::filesystem::copy(from / "scene.toml", to / "scene.toml");
  ViewServer server(to, {});
  std::string heard;
  std::thread watcher([&] {
    heard = talk(server.port(), "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n", 8, "\"added\":[1]");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto add = [&](const char* file) { std::filesystem::copy(from / file, to / file); };
  add("frames/particles.0000.bgeo");
  add("metrics.jsonl");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  add("frames/particles.0001.bgeo");
  watcher.join();
  EXPECT_NE(heard.find("event: frames\ndata: {\"added\":[0]}"), std::string::npos) << heard;
  EXPECT_NE(heard.find("event: metrics\ndata: {\"rows\":[{"), std::string::npos) << heard;
  EXPECT_NE(heard.find("\"added\":[1]"), std::string::npos) << heard;
  // a frame that is written anew is read anew
  const std::string before = ask(server.port(), "/api/frames/1/particles").body;
  std::filesystem::copy(from / "frames/particles.0004.bgeo", to / "frames/particles.0001.bgeo",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(ask(server.port(), "/api/frames/1/particles").body, before);
}

TEST(ServerOfDamagedFrames, goes_on) {
  const TemporaryFolder folder;
  ASSERT_EQ(make_small_run(folder.path / "run").status, RunResult::Status::finished);
  const auto frame = folder.path / "run/frames/particles.0001.bgeo";
  std::filesystem::resize_file(frame, std::filesystem::file_size(frame) / 2);
  ViewServer server(folder.path / "run", {});
  const Answer answer = ask(server.port(), "/api/frames/1/particles");
  EXPECT_EQ(answer.status, 500);
  EXPECT_TRUE(is_json(answer.body)) << answer.body;
  EXPECT_EQ(ask(server.port(), "/api/frames/2/particles").status, 200);
}

}  // namespace
}  // namespace dollop
