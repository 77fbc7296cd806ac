// Checkpoints: files from which a run can go on. Layout: docs/output.md.
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

#include "solvers/observation/saved_state.h"

namespace dollop {

// A checkpoint cannot be used. The message says why and which one to try instead.
struct CheckpointError : std::runtime_error {
  explicit CheckpointError(const std::string& message,
                           std::optional<std::filesystem::path> before = std::nullopt)
      : std::runtime_error(message), previous(std::move(before)) {}
  std::optional<std::filesystem::path> previous;  // the checkpoint before this one, if there is one
};

// The format of the file and of the state in it: a change of either makes another number.
constexpr std::uint32_t container_format = 1;
constexpr std::uint32_t checkpoint_format = 1000 * container_format + saved_state_format;

struct CheckpointHeader {
  std::int64_t frame = 0;
  std::string scene = {};                         // text of the scene, all values resolved
  std::map<std::string, std::string> notes = {};  // what the run wants to remember
  std::string program_version = DOLLOP_VERSION;   // that wrote it
};

// Writes folder/checkpoint.FRAME.dollop; `payload` streams the state. The file appears when it is complete and on the
// disk. Of the others in the folder only the last one before it is kept: older ones are no longer needed, and later
// ones belong to a run that was given up. Throws OutputError.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const CheckpointHeader& header,
                                       const std::function<void(std::ostream&)>& payload);

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);  // newest first

// A checkpoint that has been verified from the first byte to the last.
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
