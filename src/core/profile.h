// Where the time goes. A phase times itself; whoever wants the numbers makes a Profile current on the thread.
#pragma once

#include <array>
#include <chrono>

namespace dollop {

enum class Phase { sort, particles_to_grid, grid, contact, check, grid_to_particles, resample, emit, count };

inline constexpr std::array<const char*, int(Phase::count)> phase_names = {
    "sort", "particles_to_grid", "grid", "contact", "check", "grid_to_particles", "resample", "emit"};

struct Profile {
  std::array<double, int(Phase::count)> seconds{};

  static Profile*& current() {
    static thread_local Profile* profile = nullptr;
    return profile;
  }
};

class ScopedPhase {
 public:
  explicit ScopedPhase(Phase phase) : phase_(phase), start_(std::chrono::steady_clock::now()) {}
  ScopedPhase(const ScopedPhase&) = delete;
  ScopedPhase& operator=(const ScopedPhase&) = delete;
  ~ScopedPhase() {
    if (Profile* profile = Profile::current())
      profile->seconds[std::size_t(phase_)] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  Phase phase_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace dollop
