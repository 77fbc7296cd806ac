// Nozzles: the particles that leave them in a step, as they are at its end. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "particles/block_space.h"
#include "particles/emission_front.h"
#include "particles/seeding.h"

namespace dollop {

// The progress of a nozzle; part of a checkpoint.
struct EmitterState {
  double length = 0;        // of the material that has flowed out (SEED.9) [m]
  std::int64_t layers = 0;  // number of emitted layers of a steady flow
  std::int64_t copies = 0;  // number of emitted copies of the shape
};

struct Emission {
  std::vector<Double3> places;      // [m]
  std::vector<Double3> velocities;  // [m/s]
  double volume = 0;                // of each particle [m^3]
};

// Whether there is room for a copy of a shape with particles at these positions: nothing is too close to them.
using HasRoom = std::function<bool(const std::vector<Double3>& places)>;

// A nozzle prepared for a run. Its particles depend on the definition, the seed and the times alone. A steady flow
// leaves in layers one spacing apart in the frame of the nozzle, whatever the time steps (SEED.10).
class EmitterPlan {
 public:
  // `index` is that of the emitter in its scene, for random numbers and messages. Throws a SceneError if the definition
  // is invalid or no particle fits through the nozzle.
  EmitterPlan(const Emitter& emitter, const BlockSpace& space, std::uint64_t seed, std::size_t index);

  // The particles that leave between t0 and t1, as they are at t1. Steps must be consecutive: `state` is that at t0 and
  // becomes that at t1, so a step is repeated by starting from a copy of the state. If the emitter waits, copies of its
  // shape are held back until `has_room` returns true; an empty function stands for room everywhere.
  Emission emit(EmitterState& state, double t0, double t1, const HasRoom& has_room = {}) const;

  // A collider that fills the nozzle to its front while a steady flow leaves it at time t, and whose surface moves with
  // the flow (SEED.14). A disc becomes a cylinder of this depth, a solid keeps its shape, and other flat shapes have no
  // piston.
  std::optional<Collider> piston(double t, double depth) const;

  double expected_volume(double t) const;                  // emitted until t, if no copy waits [m^3]
  double expected_count(double t) const;                   // about the number of particles emitted until t
  double area() const { return area_; }                    // cross-section of a steady flow [m^2]
  double spacing() const { return spacing_; }              // [m]
  double volume() const { return volume_; }                // of each particle [m^3]
  const Double3& direction() const { return direction_; }  // unit, of the nozzle at rest
  double clearance() const { return clearance_; }  // least distance of a copy from earlier particles [m]

 private:
  void plan_lattice(const FlowFrame& frame);
  void plan_poisson(const FlowFrame& frame);
  void plan_copies(const BlockSpace& space);
  void emit_flow(EmitterState& state, double t0, double t1, Emission& out) const;
  void emit_copies(EmitterState& state, double t0, double t1, const HasRoom& has_room, Emission& out) const;
  bool is_apart(const std::vector<Double3>& a, const std::vector<Double3>& b) const;
  FrontPoint jittered(const FrontPoint& point, std::int64_t layer, std::size_t column) const;
  [[noreturn]] void fail(const std::string& message, const std::string& key) const;

  Emitter emitter_;
  std::uint64_t seed_, stream_;
  std::size_t index_;
  double spacing_, clearance_, area_ = 0, volume_ = 0;
  Double3 direction_{0, 0, 0}, across_{0, 0, 0}, along_{0, 0, 0};
  std::vector<std::vector<FrontPoint>> layers_;  // layer k of the flow is entry k modulo their number
  std::vector<Double3> copy_;                    // positions in a copy of the shape at rest
};

// The fault in the definition of the emitter apart from its shape, as a message; empty if there is none.
std::string validate(const Emitter& emitter);

// The volume emitted until t [m^3], computed without making particles; approximate where the cross-section or volume of
// the shape has no closed form.
double expected_volume(const Emitter& emitter, double t);

}  // namespace dollop
