#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "io/temporary_folder.h"

namespace dollop {
namespace {

using Names = std::set<std::string>;

// the error of a function that must throw one
template <class Function>
OutputError error_of(Function&& function) {
  try {
    function();
  } catch (const OutputError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {"", 0};
}

TEST(atomic_file, appears_whole_under_its_name) {
  const TemporaryFolder folder;
  std::string expected;
  {
    AtomicFile out(folder / "a.txt");
    for (int i = 0; i < 20000; ++i) {
      // pieces smaller and larger than the buffer
      const std::string piece = fmt::format("{},", i) + std::string(i == 777 || i == 778 ? 100000 : 0, 'x');
      out.write(piece);
      expected += piece;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
    EXPECT_EQ(folder.names().size(), 1u);  // the temporary file
    out.commit();
  }
  EXPECT_EQ(folder.names(), Names{"a.txt"});
  EXPECT_TRUE(read_text(folder / "a.txt") == expected);
}

TEST(atomic_file, without_commit_the_older_file_stays) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  {
    AtomicFile out(folder / "a.txt");
    out.write("new and longer");
  }
  EXPECT_EQ(folder.names(), Names{"a.txt"});
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  write_file(folder / "a.txt", "new", Durability::synced);
  EXPECT_EQ(read_text(folder / "a.txt"), "new");
}

TEST(atomic_file, two_writers_of_one_name_do_not_meet) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a.txt"), second(folder / "a.txt");
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "second");
}

TEST(atomic_file, errors_name_file_and_reason) {
  const TemporaryFolder folder;
  const OutputError missing = error_of([&] { AtomicFile(folder / "no/a.txt"); });
  EXPECT_EQ(missing.code, ENOENT);
  EXPECT_EQ(missing.file, folder / "no/a.txt");
  EXPECT_EQ(std::string(missing.what()),
            fmt::format("cannot write {}: No such file or directory; create the folder first",
                        (folder / "no/a.txt").string()));
  write_text(folder / "file", "");
  EXPECT_EQ(error_of([&] { AtomicFile(folder / "file/a.txt"); }).code, ENOTDIR);
  EXPECT_EQ(error_of([&] { make_folder(folder / "file/b/c"); }).code, ENOTDIR);
  // the name belongs to a folder: nothing is left behind
  make_folder(folder / "taken/full");
  EXPECT_EQ(error_of([&] { write_file(folder / "taken", "text"); }).code, EISDIR);
  make_folder(folder / "empty");
  EXPECT_EQ(error_of([&] { AtomicFile(folder / "empty"); }).code, EISDIR);
  EXPECT_EQ(folder.names(), (Names{"empty", "file", "taken"}));
}

TEST(atomic_file, links_are_followed) {
  const TemporaryFolder folder;
  make_folder(folder / "deep");
  write_text(folder / "deep/a.txt", "old");
  std::filesystem::create_symlink("deep/second", folder / "first");
  std::filesystem::create_symlink("a.txt", folder / "deep/second");
  {
    AtomicFile out(folder / "first");
    out.write("given up");
    EXPECT_EQ(folder.names(), (Names{"deep", "first"}));  // the temporary file is beside the target
  }
  EXPECT_EQ(read_text(folder / "deep/a.txt"), "old");
  write_file(folder / "first", "new", Durability::synced);
  EXPECT_EQ(read_text(folder / "deep/a.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "deep/second"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "deep"), {}), 2);
}

TEST(atomic_file, links_to_nothing_get_their_target) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "target", folder / "link");
  write_file(folder / "link", "text");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "target"), "text");
  std::filesystem::create_symlink("no/target", folder / "far");
  EXPECT_EQ(error_of([&] { write_file(folder / "far", "text"); }).code, ENOENT);
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(error_of([&] { write_file(folder / "circle", "text"); }).code, ELOOP);
  EXPECT_EQ(folder.names(), (Names{"circle", "far", "link", "target"}));
}

TEST(atomic_file, pipes_are_written_and_stay) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  for (const char* name : {"pipe", "link"}) {
    // a reader that does not wait, so that a writer that replaces the pipe cannot hang the test
    const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    write_file(folder / name, "through", Durability::synced);
    char found[16] = {};
    EXPECT_EQ(::read(reader, found, sizeof(found)), 7);
    ::close(reader);
    EXPECT_EQ(std::string(found), "through");
    EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
    EXPECT_EQ(folder.names(), (Names{"link", "pipe"}));
  }
}

// what others write to the same place stays, before and behind
TEST(atomic_file, open_descriptors_are_written_where_they_are) {
  const TemporaryFolder folder;
  const int descriptor = ::open((folder / "log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  write_all(descriptor, "before ", 7, "log");
  for (const char* names : {"/dev/fd", "/proc/self/fd"})
    write_file(fmt::format("{}/{}", names, descriptor), "text ", Durability::synced);
  write_all(descriptor, "after", 5, "log");
  ::close(descriptor);
  EXPECT_EQ(read_text(folder / "log"), "before text text after");
  EXPECT_EQ(folder.names(), Names{"log"});
  EXPECT_EQ(error_of([&] { write_file("/dev/fd/987654", "text"); }).code, EBADF);
}

// in a child process that is not root, whom no permission keeps out
TEST(atomic_file, protected_files_are_refused) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", "old");
  std::filesystem::permissions(folder / "a.txt", std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(1);
    int code = 0;
    try {
      write_file(folder / "a.txt", "new");
    } catch (const OutputError& error) {
      code = error.code;
    }
    ::_exit(code == EACCES ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 1) GTEST_SKIP() << "this system lets the test not be somebody else";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(folder.names(), Names{"a.txt"});
}

TEST(atomic_file, full_device_is_reported) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "this system has no /dev/full";
  const OutputError error = error_of([&] { write_all(full, "text", 4, "frames/a.bgeo"); });
  ::close(full);
  EXPECT_EQ(error.code, ENOSPC);
  EXPECT_EQ(std::string(error.what()),
            "cannot write frames/a.bgeo: No space left on device; free some space or choose another folder");
}

TEST(atomic_file, limit_of_file_size_is_reported) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{100000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  OutputError first("", 0), second("", 0);
  {
    AtomicFile out(folder / "a.txt");
    first = error_of([&] { out.write(std::string(150000, 'x')); });
    second = error_of([&] { out.commit(); });  // a failed file never gets its name
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(first.code, EFBIG);
  EXPECT_EQ(second.code, EFBIG);
  EXPECT_EQ(folder.names(), Names{"a.txt"});
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
}

// what a child process that has a file system of its own found out, as its exit status
enum Finding : int { fine = 0, not_mountable = 1, no_error = 2, wrong_error = 3, left_behind = 4, lost = 5 };

// a private mount of 64 KiB; false if this process may not have one
bool mount_small(const std::filesystem::path& folder) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

Finding write_until(int code, const std::filesystem::path& file, std::size_t bytes) {
  try {
    write_file(file, std::string(bytes, 'x'));
    return no_error;
  } catch (const OutputError& error) {
    if (error.code != code) return wrong_error;
  }
  const auto entries = std::filesystem::directory_iterator(file.parent_path());
  if (std::distance(begin(entries), end(entries)) != 1) return left_behind;
  return read_text(file) == "old" ? fine : lost;
}

Finding fill_small_disk(const std::filesystem::path& folder) {
  if (!mount_small(folder)) return not_mountable;
  write_file(folder / "a.txt", "old");
  if (const Finding full = write_until(ENOSPC, folder / "a.txt", 100000); full != fine) return full;
  if (::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return not_mountable;
  return write_until(EROFS, folder / "a.txt", 1);
}

TEST(atomic_file, full_and_read_only_disks_lose_nothing) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int finding = wrong_error;
    try {
      finding = fill_small_disk(folder.path());
    } catch (...) {
    }
    ::_exit(finding);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == not_mountable) GTEST_SKIP() << "this system lets the test mount no small disk";
  EXPECT_EQ(WEXITSTATUS(status), fine);
}

TEST(atomic_file, remains_of_killed_processes_are_removed) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile out(folder / "killed.txt");
    out.write(std::string(1 << 20, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_EQ(folder.names().size(), 1u);

  const std::string of_living = fmt::format(".a.partial-{}-0", ::getppid());
  for (const std::string& name : {of_living, std::string(".a.partial-x-1"), std::string("b.partial-1-1")})
    write_text(folder / name, "");
  remove_partial_files(folder.path());
  EXPECT_EQ(folder.names(), (Names{of_living, ".a.partial-x-1", "b.partial-1-1"}));
  remove_partial_files(folder / "missing");  // no folder, nothing to do
}

}  // namespace
}  // namespace dollop
