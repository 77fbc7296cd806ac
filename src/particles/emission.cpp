#include "particles/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "core/random.h"
#include "particles/emission_flow.h"
#include "particles/emission_room.h"
#include "particles/seeding_bricks.h"
#include "particles/seeding_poisson.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

struct Problem {
  std::string message, key;
};

bool is_bounded(const Shape& shape) {
  const Bounds box = bounds(shape);
  for (std::size_t d = 0; d < 3; ++d)
    if (!std::isfinite(box.min[d]) || !std::isfinite(box.max[d])) return false;
  return true;
}

bool rests(const Animated& speed) { return speed.kind == Animated::Kind::constant && speed.value == 0; }

std::optional<Problem> problem_of_shape(const Emitter& e) {
  if (std::holds_alternative<MeshSequence>(e.shape.form))
    return Problem{"a mesh that changes its form cannot be a nozzle; use one mesh", "shape"};
  if (!is_bounded(e.shape))
    return Problem{"a nozzle needs a bounded shape; use a disc or a box instead of a plane", "shape"};
  if (e.every > 0 && is_flat(e.shape))
    return Problem{
        "a shape without thickness holds nothing to copy; give the disc a thickness, or leave out 'every' "
        "for "
        "a steady flow",
        "shape"};
  for (const double a : e.direction)
    if (!std::isfinite(a)) return Problem{"the direction must be three numbers", "direction"};
  const bool zero = e.direction == Double3{0, 0, 0};
  if (zero && !disc_normal(e.shape) && !(e.every > 0 && rests(e.speed)))
    return Problem{
        "a nozzle of this shape needs a direction, such as [0, -1, 0]; only a disc has one of its own",
        "direction"};
  if (!zero && !has_direction(to_vec(e.direction)))
    return Problem{"the direction is too short or too long to be one; use numbers near 1", "direction"};
  return {};
}

std::optional<Problem> problem_of_speed(const Emitter& e) {
  if (const std::string wrong = validate(e.speed); !wrong.empty()) return Problem{"speed: " + wrong, "speed"};
  double least = e.speed.kind == Animated::Kind::constant ? e.speed.value : 0;
  for (const Animated::Key& key : e.speed.keys) least = std::min(least, key.value);
  if (least < 0)
    return Problem{
        fmt::format("the speed must not be negative, it is {:g}; turn the direction round instead", least),
        "speed"};
  if (e.every == 0 && rests(e.speed))
    return Problem{
        "nothing flows at speed 0; give a positive speed, or 'every' to set down copies of the shape",
        "speed"};
  return {};
}

std::optional<Problem> problem_of(const Emitter& e) {
  if (!(e.from >= 0) || !std::isfinite(e.from))
    return Problem{fmt::format("'from' must be zero or more, it is {:g} s; a run starts at time 0", e.from),
                   "from"};
  if (!(e.until > e.from))
    return Problem{fmt::format("'until' ({:g} s) must be later than 'from' ({:g} s)", e.until, e.from),
                   "until"};
  if (!(e.every >= 0) || !std::isfinite(e.every))
    return Problem{fmt::format("'every' must be zero (a steady flow) or a time, it is {:g} s", e.every),
                   "every"};
  if (!(e.particles_per_cell > 0) || !std::isfinite(e.particles_per_cell))
    return Problem{fmt::format("'particles_per_cell' must be positive, it is {:g}", e.particles_per_cell),
                   "particles_per_cell"};
  if (auto wrong = problem_of_speed(e)) return wrong;
  if (auto wrong = problem_of_shape(e)) return wrong;
  if (const std::string wrong = validate(e.motion); !wrong.empty())
    return Problem{"motion: " + wrong, "motion"};
  return {};
}

std::int64_t to_integer(double whole) { return std::int64_t(std::min(whole, 0x1p62)); }

// unit; zero if the emitter needs none
Double3 direction_of(const Emitter& e) {
  const V3 d = to_vec(e.direction);
  if (has_direction(d)) return to_array((1 / norm(d)) * d);
  return disc_normal(e.shape).value_or(Double3{0, 0, 0});
}

// transforms points of the nozzle at rest to its pose; velocities are those of nozzle and flow together   (SEED.11)
class Nozzle {
 public:
  Nozzle(const Motion& motion, double t, const Double3& direction, double speed)
      : pose_(pose_at(motion, t)), flow_(speed * (to_mat(pose_.rotation) * to_vec(direction))) {}

  // `later`: seconds of free flight
  void add(const V3& rest, double later, Emission& out) const {
    const V3 x = to_mat(pose_.rotation) * rest + to_vec(pose_.translation);
    const V3 v = to_vec(velocity_at(pose_, to_array(x))) + flow_;
    out.places.push_back(to_array(x + later * v));
    out.velocities.push_back(to_array(v));
  }

 private:
  Pose pose_;
  V3 flow_;
};

// the cross-section of the flow where no closed form is known, estimated with a coarse lattice
double estimated_area(const Shape& shape, const Double3& direction) {
  const FlowFrame frame = flow_frame(shape, direction);
  const double width =
      std::max(frame.on_across.high - frame.on_across.low, frame.on_along.high - frame.on_along.low);
  const double spacing = width / 64;
  return double(flow_columns(shape, frame, spacing).size()) * spacing * spacing;
}

}  // namespace

std::string validate(const Emitter& emitter) {
  const auto wrong = problem_of(emitter);
  return wrong ? wrong->message : std::string();
}

double expected_volume(const Emitter& emitter, double t) {
  if (emitter.every > 0) {
    const double copies = copies_until(emitter, t);
    return copies > 0 ? copies * SeedRegion(emitter.shape, BlockSpace{}).volume(0) : 0;
  }
  const Double3 direction = direction_of(emitter);
  const auto area = shadow_area(emitter.shape, direction);
  return (area ? *area : estimated_area(emitter.shape, direction)) *
         flow_length(emitter.speed, emitter.from, std::min(t, emitter.until));
}

EmitterPlan::EmitterPlan(const Emitter& emitter, const BlockSpace& space, std::uint64_t seed,
                         std::size_t index)
    : emitter_(emitter),
      seed_(seed),
      stream_(~std::uint64_t(index)),  // streams of bodies count up, those of emitters down
      index_(index),
      spacing_(seed_spacing(space, emitter.particles_per_cell)),
      clearance_(2 * space.cell_size) {  // the support of a particle's kernel
  if (const auto wrong = problem_of(emitter)) fail(wrong->message, wrong->key);
  direction_ = direction_of(emitter);
  if (emitter.every > 0) {
    plan_copies(space);
    return;
  }
  const FlowFrame frame = flow_frame(emitter.shape, direction_);
  across_ = frame.across;
  along_ = frame.along;
  plan_lattice(frame);
  if (emitter.seeding == Seeding::poisson) plan_poisson(frame);
}

void EmitterPlan::fail(const std::string& message, const std::string& key) const {
  throw SceneError(message, fmt::format("emitters[{}].{}", index_, key));
}

// lattice: all layers are the same
void EmitterPlan::plan_lattice(const FlowFrame& frame) {
  try {
    layers_ = {flow_columns(emitter_.shape, frame, spacing_)};
  } catch (const SceneError& error) {
    fail(error.what(), "shape");
  }
  const double count = double(layers_[0].size());
  if (count == 0)
    fail(fmt::format("no particle fits through this nozzle: it is thinner than the spacing of particles, "
                     "{:.3g} m; make "
                     "cell_size smaller or particles_per_cell larger",
                     spacing_),
         "shape");
  area_ = shadow_area(emitter_.shape, direction_).value_or(count * spacing_ * spacing_);
  volume_ = area_ * spacing_ / count;  // (SEED.12)
}

// Poisson-disk sampling: the layers of a tile repeat, so the flow is an endless column cut from the repeated tile
void EmitterPlan::plan_poisson(const FlowFrame& frame) {
  const auto period = std::size_t(poisson_tile_edge);
  const double edge = poisson_tile_edge * spacing_;
  const PoissonTile tile = make_poisson_tile({edge, edge, edge}, poisson_distance * spacing_, seed_, stream_);
  std::vector<std::vector<FrontPoint>> layers(period);
  std::size_t count = 0;
  for (const Double3& p : tile.points) {
    const auto layer = std::min(std::size_t(p[2] / spacing_), period - 1);
    const double ahead = spacing_ * (double(layer) + 0.5) - p[2];  // points that flow out first are ahead
    for (double i = std::floor(frame.on_across.low / edge); i * edge < frame.on_across.high; ++i)
      for (double j = std::floor(frame.on_along.low / edge); j * edge < frame.on_along.high; ++j) {
        const V3 at = (i * edge + p[0]) * to_vec(across_) + (j * edge + p[1]) * to_vec(along_);
        if (const auto foot = front_point(emitter_.shape, to_array(at), direction_, 1e-3 * spacing_))
          layers[layer].push_back({*foot, ahead, false}), ++count;
      }
  }
  if (count == 0) return;  // a nozzle that narrow keeps the lattice
  layers_ = std::move(layers);
  volume_ = area_ * edge / double(count);  // (SEED.12)
}

void EmitterPlan::plan_copies(const BlockSpace& space) {
  BlockSpace open = space;  // periodic axes are wrapped after the motion
  open.period = {0, 0, 0};
  try {
    const Seeds seeds =
        dollop::seed(emitter_.shape, open, emitter_.particles_per_cell, emitter_.seeding, seed_, stream_);
    copy_ = seeds.places;
    volume_ = seeds.volume;
  } catch (const SceneError& error) {
    fail(error.what(), "shape");
  }
  if (copy_.empty())
    fail(fmt::format("this shape holds no particle: it is thinner than their spacing, {:.3g} m; make "
                     "cell_size smaller "
                     "or particles_per_cell larger",
                     spacing_),
         "shape");
}

Emission EmitterPlan::emit(EmitterState& state, double t0, double t1, const HasRoom& has_room) const {
  Emission out;
  out.volume = volume_;
  if (emitter_.every > 0)
    emit_copies(state, t0, t1, has_room, out);
  else
    emit_flow(state, t0, t1, out);
  return out;
}

std::optional<Collider> EmitterPlan::piston(double t, double depth) const {
  const double speed =
      emitter_.every > 0 || t < emitter_.from || t >= emitter_.until ? 0 : value_at(emitter_.speed, t);
  if (!(speed > 0)) return {};
  Collider piston{.shape = emitter_.shape, .contact = ContactKind::sticky, .motion = emitter_.motion};
  const V3 direction = to_vec(direction_);
  if (is_flat(emitter_.shape)) {
    const auto* disc = std::get_if<Disc>(&emitter_.shape.form);
    if (!disc) return {};
    const V3 n = (1 / norm(to_vec(disc->normal))) * to_vec(disc->normal);
    const V3 behind = to_vec(disc->center) - std::copysign(0.5 * depth, dot(n, direction)) * n;
    piston.shape = Cylinder{to_array(behind), disc->normal, disc->radius, depth};
  }
  piston.surface_velocity = to_array(speed * direction);
  return piston;
}

void EmitterPlan::emit_flow(EmitterState& state, double t0, double t1, Emission& out) const {
  const double end = std::min(t1, emitter_.until), begin = std::max(t0, emitter_.from);
  if (has_exact_length(emitter_.speed))
    state.length = flow_length(emitter_.speed, emitter_.from, end);
  else
    state.length += flow_length(emitter_.speed, begin, end);
  // the number of layers whose middle has passed the front; 1e-9 absorbs rounding where one is just passing (SEED.10)
  const std::int64_t passed = to_integer(std::floor(state.length / spacing_ + 0.5 + 1e-9));
  if (passed <= state.layers) return;
  const double speed = flow_speed(emitter_.speed, end);
  const double since_end = speed * (t1 - end);  // the particles fly on after the nozzle has closed
  const Nozzle nozzle(emitter_.motion, t1, direction_, speed);
  const V3 direction = to_vec(direction_);
  for (std::int64_t k = state.layers; k < passed; ++k) {
    const double distance = state.length - (double(k) + 0.5) * spacing_ + since_end;
    const auto& layer = layers_[std::size_t(k) % layers_.size()];
    for (std::size_t c = 0; c < layer.size(); ++c) {
      const FrontPoint p = emitter_.seeding == Seeding::jittered ? jittered(layer[c], k, c) : layer[c];
      nozzle.add(to_vec(p.foot) + (distance + p.ahead) * direction, 0, out);
    }
  }
  state.layers = passed;
}

// a point moved at random within its cube; at the edge of the flow, sideways only within the nozzle (SEED.3)
FrontPoint EmitterPlan::jittered(const FrontPoint& point, std::int64_t layer, std::size_t column) const {
  const std::uint64_t n = combine(std::uint64_t(layer), column);
  const auto shift = [&](std::uint64_t i) {
    return spacing_ * (random_uniform(seed_, stream_, n + i) - 0.5);
  };
  FrontPoint moved = point;
  moved.ahead += shift(2);
  const Double3 at = to_array(to_vec(point.foot) + shift(0) * to_vec(across_) + shift(1) * to_vec(along_));
  if (!point.at_edge)
    moved.foot = at;
  else if (const auto foot = front_point(emitter_.shape, at, direction_, 1e-3 * spacing_))
    moved.foot = *foot;
  return moved;
}

// A copy that was due in an earlier step has waited for room: it is born now. The copies behind it wait too. (SEED.18)
void EmitterPlan::emit_copies(EmitterState& state, double t0, double t1, const HasRoom& has_room,
                              Emission& out) const {
  const std::int64_t due = to_integer(copies_until(emitter_, t1));
  for (; state.copies < due; ++state.copies) {
    const double planned = emitter_.from + emitter_.every * double(state.copies);
    const double born = planned < t0 ? t1 : planned;
    const Nozzle nozzle(emitter_.motion, born, direction_, flow_speed(emitter_.speed, born));
    Emission copy;
    for (const Double3& x : copy_) nozzle.add(to_vec(x), t1 - born, copy);  // (SEED.13)
    if (emitter_.wait && has_room && !(has_room(copy.places) && is_apart(copy.places, out.places))) return;
    out.places.insert(out.places.end(), copy.places.begin(), copy.places.end());
    out.velocities.insert(out.velocities.end(), copy.velocities.begin(), copy.velocities.end());
  }
}

bool EmitterPlan::is_apart(const std::vector<Double3>& a, const std::vector<Double3>& b) const {
  if (b.empty()) return true;
  const PointCells cells(a, clearance_);
  return std::ranges::none_of(b, [&](const Double3& x) { return cells.has_near(x); });
}

double EmitterPlan::expected_volume(double t) const {
  if (emitter_.every > 0) return copies_until(emitter_, t) * double(copy_.size()) * volume_;
  return area_ * flow_length(emitter_.speed, emitter_.from, std::min(t, emitter_.until));
}

double EmitterPlan::expected_count(double t) const { return expected_volume(t) / volume_; }

}  // namespace dollop
