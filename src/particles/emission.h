// Nozzles: which particles leave them in a step, and where these are at its end. Theory: docs/theory/seeding.md.
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

// What a nozzle has done so far; part of a checkpoint.
struct EmitterState {
  double length = 0;        // of material that has flowed out (SEED.9) [m]
  std::int64_t layers = 0;  // of a steady flow
  std::int64_t copies = 0;  // of the shape
};

struct Emission {
  std::vector<Double3> places;      // [m]
  std::vector<Double3> velocities;  // [m/s]
  double volume = 0;                // of each [m^3]
};

// Whether a copy of a shape may be put at these places: nothing is too close to them.
using HasRoom = std::function<bool(const std::vector<Double3>& places)>;

// A nozzle made ready. What leaves it depends on the definition, the seed and the times alone. Steady flow comes in
// layers one spacing apart in the frame of the nozzle, whatever the steps (SEED.10).
class EmitterPlan {
 public:
  // `index` of the emitter in its scene: for the random numbers and for messages. Throws SceneError if something is
  // wrong with the definition, or no particle fits through the nozzle.
  EmitterPlan(const Emitter& emitter, const BlockSpace& space, std::uint64_t seed, std::size_t index);

  // What leaves between t0 and t1 as it is at t1. Steps follow each other; the state is that of t0 and becomes that of
  // t1, so a step is repeated by starting from a copy of the state. Copies of a shape that has to wait stay back until
  // `has_room`, which an empty function always says.
  Emission emit(EmitterState& state, double t0, double t1, const HasRoom& has_room = {}) const;

  // A body that fills the nozzle to its front while a steady flow leaves it at time t, and whose surface moves with the
  // flow (SEED.14): a disc is given some depth, solids are themselves, and other flat shapes have none.
  std::optional<Collider> piston(double t, double depth) const;

  double expected_volume(double t) const;      // of all that has left until t, if none waits [m^3]
  double expected_count(double t) const;       // its particles, about
  double area() const { return area_; }        // of the cross-section of a steady flow [m^2]
  double spacing() const { return spacing_; }  // [m]
  double volume() const { return volume_; }    // of each particle [m^3]
  const Double3& direction() const { return direction_; }  // unit, of the nozzle at rest
  double clearance() const { return clearance_; }  // of copies, from particles that were there before [m]

 private:
  void plan_lattice(const FlowFrame& frame);
  void plan_poisson(const FlowFrame& frame);
  void plan_copies(const BlockSpace& space);
  void emit_flow(EmitterState& state, double t0, double t1, Emission& out) const;
  void emit_copies(EmitterState& state, double t0, double t1, const HasRoom& has_room, Emission& out) const;
  bool is_apart(const std::vector<Double3>& a, const std::vector<Double3>& b) const;
  FlowPoint jittered(const FlowPoint& point, std::int64_t layer, std::size_t column) const;
  [[noreturn]] void fail(const std::string& message, const std::string& key) const;

  Emitter emitter_;
  std::uint64_t seed_, stream_;
  std::size_t index_;
  double spacing_, clearance_, area_ = 0, volume_ = 0;
  Double3 direction_{0, 0, 0}, across_{0, 0, 0}, along_{0, 0, 0};
  std::vector<std::vector<FlowPoint>> layers_;  // layer k is number k modulo their count
  std::vector<Double3> copy_;                   // places of a copy of the shape at rest
};

// What is wrong with the emitter apart from its shape, in plain words; empty if nothing is.
std::string validate(const Emitter& emitter);

// The volume of all that has left until t, without making particles; about, where the cross-section or volume of the
// shape has no closed form [m^3].
double expected_volume(const Emitter& emitter, double t);

}  // namespace dollop
