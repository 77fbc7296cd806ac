#include "io/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <istream>
#include <ostream>

#include "core/hash.h"
#include "io/atomic_file.h"
#include "io/checksum.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

using Paths = std::vector<std::filesystem::path>;

CheckpointHeader sample_header(std::int64_t frame = 120) {
  return {frame, "title = \"cream\"\n", {{"wall", "12.5"}, {"", std::string("a\0b", 3)}}};
}

// numbers in pieces of many sizes
void write_numbers(std::ostream& out, std::uint64_t count) {
  std::vector<std::uint64_t> piece;
  for (std::uint64_t i = 0; i < count; ++i) {
    piece.push_back(mix(i));
    if (piece.size() < 1 + mix(i / 100) % 60000 && i + 1 < count) continue;
    out.write(reinterpret_cast<const char*>(piece.data()), std::streamsize(8 * piece.size()));
    piece.clear();
  }
}

std::filesystem::path write_sample(const std::filesystem::path& folder, std::int64_t frame = 120) {
  return write_checkpoint(folder, sample_header(frame), [](std::ostream& out) { out << "state " << 42; });
}

std::string message_of(const std::filesystem::path& file) {
  try {
    read_checkpoint(file);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no error";
}

// a file with the right length and checksum, whatever else is in it
std::string sealed(std::string bytes, std::uint64_t payload_bytes) {
  const auto append = [&](std::uint64_t number) { bytes.append(reinterpret_cast<const char*>(&number), 8); };
  append(payload_bytes);
  append(bytes.size() + 16);
  Checksum checksum;
  checksum.add(bytes.data(), bytes.size());
  append(checksum.value());
  return bytes;
}

TEST(checkpoint, reads_back_what_was_written) {
  const TemporaryFolder folder;
  const std::filesystem::path file = write_sample(folder / "checkpoints");
  EXPECT_EQ(file, folder / "checkpoints/checkpoint.000120.dollop");
  Checkpoint checkpoint = read_checkpoint(file);
  EXPECT_EQ(checkpoint.header().frame, 120);
  EXPECT_EQ(checkpoint.header().scene, "title = \"cream\"\n");
  EXPECT_EQ(checkpoint.header().notes, sample_header().notes);
  EXPECT_EQ(checkpoint.header().program_version, DOLLOP_VERSION);
  std::string word;
  int number = 0;
  checkpoint.payload() >> word >> number;
  EXPECT_EQ(word, "state");
  EXPECT_EQ(number, 42);
  EXPECT_EQ(checkpoint.payload().get(), std::istream::traits_type::eof());
}

TEST(checkpoint, streams_a_payload_larger_than_all_buffers) {
  const TemporaryFolder folder;
  const std::uint64_t count = 700001;
  const auto file =
      write_checkpoint(folder.path(), sample_header(), [](std::ostream& out) { write_numbers(out, count); });
  Checkpoint checkpoint = read_checkpoint(file);
  std::vector<std::uint64_t> piece;
  std::uint64_t next = 0;
  for (std::uint64_t size = 1; next < count; size = 1 + mix(size) % 200000) {
    piece.resize(std::min(size, count - next));
    ASSERT_TRUE(
        checkpoint.payload().read(reinterpret_cast<char*>(piece.data()), std::streamsize(8 * piece.size())));
    for (const std::uint64_t value : piece) ASSERT_EQ(value, mix(next++));
  }
  char beyond = 0;
  EXPECT_FALSE(checkpoint.payload().read(&beyond, 1));  // the trailer is no part of it
  EXPECT_TRUE(checkpoint.payload().eof());
}

TEST(checkpoint, empty_parts_are_fine) {
  const TemporaryFolder folder;
  const auto file = write_checkpoint(folder.path(), {}, [](std::ostream&) {});
  EXPECT_EQ(file.filename(), "checkpoint.000000.dollop");
  Checkpoint checkpoint = read_checkpoint(file);
  EXPECT_EQ(checkpoint.header().scene, "");
  EXPECT_EQ(checkpoint.payload().peek(), std::istream::traits_type::eof());
}

TEST(checkpoint, last_two_are_kept_and_listed_newest_first) {
  const TemporaryFolder folder;
  EXPECT_TRUE(list_checkpoints(folder / "missing").empty());
  const auto name = [&](const char* frame) { return folder / fmt::format("checkpoint.{}.dollop", frame); };
  write_text(folder / "checkpoint.old.dollop", "");
  write_text(folder / "checkpoint..dollop", "");
  for (const int frame : {9, 10, 1000000, 1000010}) write_sample(folder.path(), frame);
  EXPECT_EQ(list_checkpoints(folder.path()), (Paths{name("1000010"), name("1000000")}));
  // the run went on from an older one: what came later is no longer of it
  write_sample(folder.path(), 1000005);
  EXPECT_EQ(list_checkpoints(folder.path()), (Paths{name("1000005"), name("1000000")}));
  write_sample(folder.path(), 1000005);
  EXPECT_EQ(list_checkpoints(folder.path()), (Paths{name("1000005"), name("1000000")}));
  EXPECT_EQ(folder.names().size(), 4u);  // other files are left alone
}

TEST(checkpoint, failed_writing_leaves_the_older_ones) {
  const TemporaryFolder folder;
  write_sample(folder.path(), 1);
  const auto before = folder.names();
  EXPECT_THROW(write_checkpoint(folder.path(), sample_header(2),
                                [](std::ostream& out) {
                                  out << std::string(1 << 20, 'x');
                                  throw std::runtime_error("cannot save");
                                }),
               std::runtime_error);
  EXPECT_THROW(write_checkpoint(folder.path(), sample_header(2),
                                [](std::ostream& out) { out.setstate(std::ios::failbit); }),
               OutputError);
  write_text(folder / "file", "");
  EXPECT_THROW(write_sample(folder / "file/checkpoints"), OutputError);
  std::filesystem::remove(folder / "file");
  EXPECT_EQ(folder.names(), before);
}

TEST(checkpoint, error_of_the_disk_comes_through_the_stream) {
  const TemporaryFolder folder;
  write_sample(folder.path(), 1);
  const auto before = folder.names();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{1000000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  int code = 0;
  try {
    write_checkpoint(folder.path(), sample_header(2), [](std::ostream& out) { write_numbers(out, 200000); });
  } catch (const OutputError& error) {
    code = error.code;
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, EFBIG);
  EXPECT_EQ(folder.names(), before);
}

TEST(checkpoint, refusals_say_why_and_what_to_try) {
  const TemporaryFolder folder;
  const auto older = write_sample(folder.path(), 110), file = write_sample(folder.path(), 120);
  const std::string good = read_text(file), hint = "; the one before it is " + older.string();
  const auto message_with = [&](const std::string& bytes) {
    write_text(file, bytes);
    const std::string message = message_of(file);
    EXPECT_TRUE(message.starts_with(file.string() + " ")) << message;
    EXPECT_TRUE(message.ends_with(hint)) << message;
    return message.substr(file.string().size() + 1, message.size() - file.string().size() - 1 - hint.size());
  };
  std::string flipped = good;
  flipped[60] ^= 1;
  EXPECT_EQ(message_with(flipped), "is damaged: its checksum does not match");
  EXPECT_EQ(message_with(good.substr(0, good.size() - 1)),
            "is damaged: it does not have the length that it was written with");
  EXPECT_EQ(message_with(""), "is not a checkpoint: it is too short");
  EXPECT_EQ(message_with("title = \"a scene\""), "is not a checkpoint of dollop");
  std::string other_format = good;
  other_format[8] = 99, other_format[9] = 0;  // the lowest bytes of the number
  EXPECT_EQ(message_with(other_format),
            fmt::format("was written by dollop {0} (format 99); this is dollop {0} (format {1})",
                        DOLLOP_VERSION, checkpoint_format));
  other_format[12] = 0;  // no version
  EXPECT_EQ(message_with(other_format), "is damaged, or of a format that is not known (99)");

  write_text(older, "");
  EXPECT_EQ(message_of(older),
            older.string() + " is not a checkpoint: it is too short; there is none before it");
  EXPECT_EQ(
      message_of(folder / "none"),
      (folder / "none").string() + " cannot be opened: No such file or directory; there is none before it");
  EXPECT_NE(message_of(folder.path()).find("is a folder"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(message_of(folder / "pipe").find("is not a regular file"),
            std::string::npos);  // and does not wait
}

TEST(checkpoint, absurd_lengths_under_a_good_checksum_are_refused) {
  const TemporaryFolder folder;
  const auto file = write_sample(folder.path());
  const std::string good = read_text(file);
  const std::string body = good.substr(0, good.size() - 24);
  const std::uint64_t payload = std::string("state 42").size();
  write_text(file, sealed(body, payload));
  EXPECT_EQ(message_of(file), "no error");  // the seal is right, so what follows is refused for its lengths
  write_text(file, sealed(body, payload + 1));
  EXPECT_NE(message_of(file).find("its parts do not add up"), std::string::npos);
  int refused = 0;
  for (std::size_t at = 12; at + 8 <= body.size() - payload; ++at)
    for (const std::uint64_t length :
         {~std::uint64_t(0), std::uint64_t(1) << 62, std::uint64_t(body.size())}) {
      std::string changed = body;
      changed.replace(at, 8, reinterpret_cast<const char*>(&length), 8);
      write_text(file, sealed(changed, payload));
      refused += message_of(file) != "no error";
    }
  EXPECT_GT(refused, 100);
}

// every kind of damage, at many places: each is refused, none crashes
TEST(checkpoint, mutated_files_are_refused) {
  const TemporaryFolder folder;
  const auto file = write_sample(folder.path());
  const std::string good = read_text(file);
  std::uint64_t draw = 1;
  const auto random = [&](std::size_t below) { return std::size_t((draw = mix(draw)) % below); };
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    const std::size_t changes = 1 + random(3);
    for (std::size_t change = 0; change < changes && !bytes.empty(); ++change) {
      const std::size_t at = random(bytes.size());
      switch (random(5)) {
        case 0:
          bytes[at] = char(bytes[at] ^ (1 << random(8)));
          break;
        case 1:
          bytes.erase(at, 1 + random(20));
          break;
        case 2:
          bytes.insert(at, 1 + random(20), char(random(256)));
          break;
        case 3:
          bytes.resize(at + 1);
          break;
        default:
          bytes.replace(at, 8, std::string(8, char(random(2) * 255)));
          break;
      }
    }
    if (bytes == good) continue;
    write_text(file, bytes);
    ASSERT_NE(message_of(file), "no error") << "round " << round;
  }
}

}  // namespace
}  // namespace dollop
