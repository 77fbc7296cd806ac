#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ostream>
#include <streambuf>
#include <system_error>

#include "core/assert.h"
#include "io/atomic_file.h"
#include "io/checkpoint.h"
#include "io/checkpoint_layout.h"
#include "io/checksum.h"

namespace dollop {

using namespace checkpoint_layout;

namespace {

static_assert(std::endian::native == std::endian::little);

// An output file that counts its bytes and computes their checksum.
class ChecksummedFile {
 public:
  explicit ChecksummedFile(const std::filesystem::path& file) : file_(file, Durability::synced) {}
  void write(const void* data, std::size_t bytes) {
    constexpr std::size_t piece = 1 << 20;  // stays in the cache between checksum and write
    for (const char* next = static_cast<const char*>(data); bytes > 0;) {
      const std::size_t count = std::min(bytes, piece);
      checksum_.add(next, count);
      file_.write(next, count);
      bytes_ += count;
      bytes -= count;
      next += count;
    }
  }
  template <class Number>
  void number(Number value) {
    write(&value, sizeof(value));
  }
  void string(std::string_view text) {
    number(std::uint64_t(text.size()));
    write(text.data(), text.size());
  }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t checksum() const { return checksum_.value(); }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
};

// a buffer that lets a std::ostream write to a ChecksummedFile
class PayloadBuffer : public std::streambuf {
 public:
  explicit PayloadBuffer(ChecksummedFile& file) : file_(file), buffer_(1 << 18, '\0') { empty(); }

 protected:
  int_type overflow(int_type c) override {
    sync();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    file_.write(pbase(), std::size_t(pptr() - pbase()));
    empty();
    return 0;
  }
  std::streamsize xsputn(const char* data, std::streamsize bytes) override {
    if (bytes > epptr() - pptr()) sync();
    if (bytes > epptr() - pptr()) {
      file_.write(data, std::size_t(bytes));
    } else if (bytes > 0) {  // memcpy must not get a null pointer
      std::memcpy(pptr(), data, std::size_t(bytes));
      pbump(int(bytes));  // less than the buffer's size
    }
    return bytes;
  }

 private:
  void empty() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  ChecksummedFile& file_;
  std::string buffer_;
};

void write_header(ChecksummedFile& out, const CheckpointHeader& header) {
  out.write(magic.data(), magic.size());
  out.number(checkpoint_format);
  out.string(header.program_version);
  out.string(header.scene);
  out.number(header.frame);
  out.number(std::uint64_t(header.notes.size()));
  for (const auto& [name, text] : header.notes) {
    out.string(name);
    out.string(text);
  }
}

// returns the number of bytes
std::uint64_t write_payload(ChecksummedFile& out, const std::filesystem::path& file,
                            const std::function<void(std::ostream&)>& payload) {
  const std::uint64_t before = out.bytes();
  PayloadBuffer buffer(out);
  std::ostream stream(&buffer);
  stream.exceptions(std::ios::badbit);  // passes on an OutputError of the buffer
  payload(stream);
  stream.flush();
  if (!stream) throw OutputError(file, "the state of the simulation could not be saved");
  return out.bytes() - before;
}

void keep_last_two(const std::filesystem::path& folder, const std::filesystem::path& written) {
  bool is_older = false;
  int older = 0;
  for (const std::filesystem::path& file : list_checkpoints(folder)) {
    if (file.filename() == written.filename()) {
      is_older = true;
      continue;
    }
    if (is_older && older++ == 0) continue;
    std::error_code ignored;  // an extra file does no harm
    std::filesystem::remove(file, ignored);
  }
}

}  // namespace

std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const CheckpointHeader& header,
                                       const std::function<void(std::ostream&)>& payload) {
  DOLLOP_ASSERT(header.frame >= 0);
  make_folder(folder);
  const std::filesystem::path file = folder / fmt::format("{}{:06}{}", name_start, header.frame, name_end);
  ChecksummedFile out(file);
  write_header(out, header);
  const std::uint64_t payload_bytes = write_payload(out, file, payload);
  out.number(payload_bytes);
  out.number(out.bytes() + sizeof(std::uint64_t) +
             sizeof(std::uint64_t));  // including this number and the checksum
  out.number(out.checksum());
  out.commit();
  keep_last_two(folder, file);
  return file;
}

}  // namespace dollop
