// Times of the phases of a step. A phase times itself; a caller that wants the times sets the thread's current Profile.
#pragma once

#include <array>
#include <chrono>

namespace dollop {

enum class Phase {
  sort,
  damping,
  particles_to_grid,
  grid,
  contact,
  solve,
  forces,
  tangent,
  local_steps,
  product,
  check,
  grid_to_particles,
  resample,
  emit,
  count
};

inline constexpr std::array<const char*, int(Phase::count)> phase_names = {
    "sort",    "damping",     "particles_to_grid", "grid",  "contact",           "solve",    "forces",
    "tangent", "local_steps", "product",           "check", "grid_to_particles", "resample", "emit"};

struct Profile {
  std::array<double, int(Phase::count)> seconds{};
  Phase active = Phase::count;  // the phase that time is counted for now; count: none
  std::chrono::steady_clock::time_point since{};

  // adds the time up to now to the active phase, and makes another phase active
  void change_to(Phase phase) {
    const auto now = std::chrono::steady_clock::now();
    if (active != Phase::count)
      seconds[std::size_t(active)] += std::chrono::duration<double>(now - since).count();
    active = phase;
    since = now;
  }

  static Profile*& current() {
    static thread_local Profile* profile = nullptr;
    return profile;
  }
};

// Time in a nested phase counts for the inner phase only.
class ScopedPhase {
 public:
  explicit ScopedPhase(Phase phase) : profile_(Profile::current()) {
    if (!profile_) return;
    outer_ = profile_->active;
    profile_->change_to(phase);
  }
  ScopedPhase(const ScopedPhase&) = delete;
  ScopedPhase& operator=(const ScopedPhase&) = delete;
  ~ScopedPhase() {
    if (profile_) profile_->change_to(outer_);
  }

 private:
  Profile* profile_;
  Phase outer_ = Phase::count;
};

}  // namespace dollop
