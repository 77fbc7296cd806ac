#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <istream>
#include <streambuf>
#include <system_error>
#include <utility>

#include "core/input_file.h"
#include "io/checkpoint.h"
#include "io/checkpoint_layout.h"
#include "io/checksum.h"

namespace dollop {

using namespace checkpoint_layout;

namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

// Thrown while reading; read_checkpoint() adds the name of the file and what to try instead.
struct Unusable {
  std::string reason;
};

// the frame in "checkpoint.FRAME.dollop"; -1 for other names
std::int64_t frame_of(const std::string& name) {
  if (!name.starts_with(name_start) || !name.ends_with(name_end)) return -1;
  if (name.size() <= name_start.size() + name_end.size()) return -1;
  const char* end = name.data() + name.size() - name_end.size();
  std::int64_t frame = -1;
  const auto [stop, error] = std::from_chars(name.data() + name_start.size(), end, frame);
  return error == std::errc() && stop == end ? frame : -1;
}

// An open file of known size. Offsets are checked by the callers.
class Source {
 public:
  explicit Source(const std::filesystem::path& file) try : file_(file) {
  } catch (const UnreadableFile& e) {
    throw Unusable{e.what()};
  }
  std::uint64_t size() const { return file_.size(); }

  void read(std::uint64_t offset, void* to, std::size_t bytes) const {
    std::size_t got = 0;
    try {
      got = file_.read(offset, to, bytes);
    } catch (const UnreadableFile& e) {
      throw Unusable{e.what()};
    }
    if (got < bytes) throw Unusable{"is damaged: it became shorter while it was read"};
  }

 private:
  InputFile file_;
};

// Reads consecutive values from a part of the file. All lengths are checked.
class Cursor {
 public:
  Cursor(const Source& source, std::uint64_t end) : source_(source), end_(end) {}
  template <class Number>
  Number number() {
    Number value{};
    bytes(&value, sizeof(value));
    return value;
  }
  std::string string() {
    const auto length = number<std::uint64_t>();
    if (length > left()) throw Unusable{"is damaged: a length in it points beyond its end"};
    std::string text(length, '\0');
    bytes(text.data(), text.size());
    return text;
  }
  void bytes(void* to, std::size_t count) {
    if (count > left()) throw Unusable{"is damaged: it ends too early"};
    source_.read(offset_, to, count);
    offset_ += count;
  }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return end_ - offset_; }

 private:
  const Source& source_;
  std::uint64_t offset_ = 0, end_;
};

// magic, format and version of the program, which are the same in all formats
std::string read_preface(Cursor& cursor) {
  std::string start(magic.size(), '\0');
  if (cursor.left() < start.size()) throw Unusable{"is not a checkpoint: it is too short"};
  cursor.bytes(start.data(), start.size());
  if (start != magic) throw Unusable{"is not a checkpoint of dollop"};
  const auto format = cursor.number<std::uint32_t>();
  if (format == checkpoint_format) return cursor.string();

  // if the program's version looks valid this is another format; otherwise the format number is damaged
  constexpr std::uint64_t max_version_bytes = 64;
  const auto length = cursor.number<std::uint64_t>();
  if (length == 0 || length > max_version_bytes || length > cursor.left())
    throw Unusable{fmt::format("is damaged, or of a format that is not known ({})", format)};
  std::string version(length, '\0');
  cursor.bytes(version.data(), version.size());
  const bool printable =
      std::all_of(version.begin(), version.end(), [](char c) { return c > ' ' && c < 127; });
  if (!printable) throw Unusable{fmt::format("is damaged, or of a format that is not known ({})", format)};
  throw Unusable{fmt::format("was written by dollop {} (format {}); this is dollop {} (format {})", version,
                             format, DOLLOP_VERSION, checkpoint_format)};
}

// checks the length and the checksum of the file
Trailer verify(const Source& source) {
  Trailer trailer{};
  if (source.size() < sizeof(trailer)) throw Unusable{"is damaged: it ends too early"};
  source.read(source.size() - sizeof(trailer), &trailer, sizeof(trailer));
  if (trailer.file_bytes != source.size())
    throw Unusable{"is damaged: it does not have the length that it was written with"};
  Checksum checksum;
  std::string piece(std::min<std::uint64_t>(buffer_bytes, source.size()), '\0');
  const std::uint64_t end = source.size() - sizeof(trailer.checksum);
  for (std::uint64_t offset = 0; offset < end; offset += piece.size()) {
    const auto count = std::size_t(std::min<std::uint64_t>(piece.size(), end - offset));
    source.read(offset, piece.data(), count);
    checksum.add(piece.data(), count);
  }
  if (checksum.value() != trailer.checksum) throw Unusable{"is damaged: its checksum does not match"};
  return trailer;
}

CheckpointHeader read_header(Cursor& cursor, std::string program_version) {
  CheckpointHeader header;
  header.program_version = std::move(program_version);
  header.scene = cursor.string();
  header.frame = cursor.number<std::int64_t>();
  const auto notes = cursor.number<std::uint64_t>();
  if (notes > cursor.left() / min_note_bytes)
    throw Unusable{"is damaged: it cannot hold as many notes as it says"};
  for (std::uint64_t i = 0; i < notes; ++i) {
    std::string name = cursor.string();
    header.notes[std::move(name)] = cursor.string();
  }
  return header;
}

// a part of the file as a stream
class PayloadBuffer : public std::streambuf {
 public:
  PayloadBuffer(std::unique_ptr<Source> source, std::uint64_t begin, std::uint64_t end)
      : source_(std::move(source)), next_(begin), end_(end) {}

 protected:
  int_type underflow() override {
    if (next_ == end_) return traits_type::eof();
    buffer_.resize(buffer_bytes);
    const std::size_t count = take(buffer_.data(), buffer_.size());
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
  }
  std::streamsize xsgetn(char* to, std::streamsize bytes) override {
    const std::streamsize held = std::min<std::streamsize>(bytes, egptr() - gptr());
    std::copy_n(gptr(), held, to);
    setg(eback(), gptr() + held, egptr());
    if (held == bytes) return bytes;
    if (std::size_t(bytes - held) < buffer_bytes) {  // short reads go through the buffer
      if (underflow() == traits_type::eof()) return held;
      return held + xsgetn(to + held, bytes - held);
    }
    return held + std::streamsize(take(to + held, std::size_t(bytes - held)));
  }
  std::streamsize showmanyc() override { return next_ == end_ ? -1 : std::streamsize(end_ - next_); }

 private:
  std::size_t take(char* to, std::size_t bytes) {
    const auto count = std::size_t(std::min<std::uint64_t>(bytes, end_ - next_));
    try {
      source_->read(next_, to, count);
    } catch (const Unusable& unusable) {
      throw CheckpointError("the checkpoint " + unusable.reason);
    }
    next_ += count;
    return count;
  }
  std::unique_ptr<Source> source_;
  std::uint64_t next_, end_;
  std::string buffer_;
};

class PayloadStream : public std::istream {
 public:
  PayloadStream(std::unique_ptr<Source> source, std::uint64_t first, std::uint64_t last)
      : std::istream(nullptr), buffer_(std::move(source), first, last) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // passes on a CheckpointError of the buffer
  }

 private:
  PayloadBuffer buffer_;
};

Checkpoint open_verified(const std::filesystem::path& file) {
  auto source = std::make_unique<Source>(file);
  Cursor preface(*source, source->size());
  const std::string version = read_preface(preface);
  const Trailer trailer = verify(*source);
  const std::uint64_t end = source->size() - sizeof(trailer);
  Cursor cursor(*source, end);
  read_preface(cursor);
  CheckpointHeader header = read_header(cursor, version);
  if (trailer.payload_bytes != cursor.left())
    throw Unusable{"is damaged: its parts do not add up to its length"};
  const std::uint64_t begin = cursor.offset();
  return Checkpoint(std::move(header), std::make_unique<PayloadStream>(std::move(source), begin, end));
}

// the newest checkpoint of the same folder that is older than this one
std::optional<std::filesystem::path> previous_checkpoint(const std::filesystem::path& file) {
  const std::int64_t frame = frame_of(file.filename().string());
  for (const std::filesystem::path& other : list_checkpoints(file.parent_path()))
    if (frame_of(other.filename().string()) < frame) return other;
  return std::nullopt;
}

}  // namespace

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> found;
  std::error_code error;  // a missing folder has none
  for (auto entry = std::filesystem::directory_iterator(folder.empty() ? "." : folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (frame_of(name) >= 0) found.emplace_back(frame_of(name), folder / name);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::filesystem::path> files;
  for (auto& [frame, file] : found) files.push_back(std::move(file));
  return files;
}

Checkpoint::Checkpoint(CheckpointHeader header, std::unique_ptr<std::istream> payload)
    : header_(std::move(header)), payload_(std::move(payload)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  try {
    return open_verified(file);
  } catch (const Unusable& unusable) {
    const std::optional<std::filesystem::path> previous = previous_checkpoint(file);
    const std::string hint =
        previous ? "the one before it is " + previous->string() : "there is none before it";
    throw CheckpointError(fmt::format("{} {}; {}", file.string(), unusable.reason, hint), previous);
  }
}

}  // namespace dollop
