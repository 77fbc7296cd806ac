// Checkpoints: files from which a run can be resumed. Layout: docs/output.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solvers/observation/saved_state_format.h"

namespace dollop {

// A checkpoint is unusable. The message says why and which one to try instead.
struct CheckpointError : std::runtime_error {
  explicit CheckpointError(const std::string& message,
                           std::optional<std::filesystem::path> before = std::nullopt)
      : std::runtime_error(message), previous(std::move(before)) {}
  std::optional<std::filesystem::path> previous;  // the checkpoint before this one, if there is one
};

// The format of the file and of the state in it: a change of either makes another number.
constexpr std::uint32_t container_format = 2;
constexpr std::uint32_t checkpoint_format = 1000 * container_format + saved_state_format;

struct CheckpointHeader {
  std::int64_t frame = 0;
  std::string scene = {};                         // text of the scene, all values resolved
  std::map<std::string, std::string> notes = {};  // further data of the run
  std::string program_version = DOLLOP_VERSION;   // version that wrote the file
};

// Writes folder/checkpoint.FRAME.dollop as a synced AtomicFile; `payload` streams the state. Of the other checkpoints
// in the folder only the previous one is kept: older ones are no longer needed, and later ones belong to an abandoned
// run. Throws OutputError.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const CheckpointHeader& header,
                                       const std::function<void(std::ostream&)>& payload);

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);  // newest first

// A checkpoint whose checksum has been verified.
class Checkpoint {
 public:
  Checkpoint(CheckpointHeader header, std::unique_ptr<std::istream> payload);
  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  const CheckpointHeader& header() const { return header_; }
  std::istream& payload() { return *payload_; }  // ends where the payload ends

 private:
  CheckpointHeader header_;
  std::unique_ptr<std::istream> payload_;
};

Checkpoint read_checkpoint(const std::filesystem::path& file);  // throws CheckpointError

}  // namespace dollop
