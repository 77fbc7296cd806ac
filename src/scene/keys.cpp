#include "scene/keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "materials/looks.h"
#include "materials/registry.h"
#include "scene/units.h"

namespace dollop {
namespace {

const std::vector<std::string> seedings{"lattice", "jittered", "poisson"};

std::vector<std::string> look_names() {
  std::vector<std::string> names;
  for (const LookInfo& look : looks) names.emplace_back(look.name);
  return names;
}

SectionOf<SimulationTable> make_simulation() {
  using T = SimulationTable;
  SectionOf<T> s("simulation", "How the scene is simulated.",
                 "[simulation]\nduration = \"3 s\"\ncell_size = \"3 mm\"\ntransfer = \"flip\"\n"
                 "gravity = [0, \"-9.81 m/s^2\", 0]\n");
  const std::string later =
      "this version has the explicit and the newton solver; write solver = \"explicit\" or \"newton\"";
  s.value(
       "solver", &T::solver,
       "method of time integration: explicit steps as long as stability allows, or implicit ones by Newton's "
       "method, whose length max_dt and cfl decide")
      .one_of({"explicit", "newton"},
              {{"admm", later}, {"points", later}, {"implicit", "the implicit solver is \"newton\""}});
  s.number("duration", &T::duration, "s", above_zero, "length of the run").must();
  s.number("frame_rate", &T::frame_rate, "1/s", above_zero, "frames of output in a second");
  s.number("cell_size", &T::cell_size, "m", above_zero, "width of a grid cell").must();
  s.value("kernel", &T::kernel, "B-spline that joins particles and grid").one_of({"quadratic", "cubic"});
  s.value("transfer", &T::transfer, "how velocity travels between particles and grid")
      .one_of({"pic", "flip", "apic", "rpic"});
  s.number("flip_ratio", &T::flip_ratio, "", fraction, "of flip: 1 is pure FLIP, 0 is PIC");
  s.number(
      "flip_dt", &T::flip_dt, "s", from_zero,
      "time that flip_ratio is meant for, so that the damping does not depend on the time step; 0: a step");
  s.number("rpic_damping", &T::rpic_damping, "", fraction,
           "of rpic: 1 drops all of the symmetric affine velocity, 0 is APIC");
  s.value("forces", &T::forces, "stress forces from the moments or from the gradient of the kernel")
      .one_of({"mls", "gradient"});
  s.value("advection", &T::advection, "velocity that moves the particles; the two differ for flip only")
      .one_of({"grid", "particle"});
  s.number("gravity", &T::gravity, "m/s^2", any_number, "acceleration of everything");
  s.value("precision", &T::precision, "of positions, velocities and stresses").one_of({"float", "double"});
  s.number("max_dt", &T::max_dt, "s", above_zero, "largest time step; without it stability and speed decide");
  s.number("min_dt", &T::min_dt, "s", from_zero, "a step that fails at this size ends the run");
  s.number("dt_safety", &T::dt_safety, "", positive_fraction,
           "fraction of the stable time step that is used");
  s.number("cfl", &T::cfl, "", positive_fraction, "cells that particles and colliders may travel in a step");
  s.value("volume_init", &T::volume_init,
          "volumes of particles from the seeding or from the density on the grid")
      .one_of({"exact", "estimated"});
  s.number(
      "resample_every", &T::resample_every, "", {0, 1e9, false, false},
      "steps between fillings of material with less than about 8 particles a cell with new ones; 0: never");
  s.number("resample_strain", &T::resample_strain, "", from_zero,
           "the same whenever the largest dt |grad v| of the steps adds up to this; 0: never, 0.2 is safe");
  s.value("resample_fields", &T::resample_fields,
          "velocity and state of new particles: means of the particles that give them mass, which keep the "
          "momentum and make no energy, or interpolated from the grid as published, which may not")
      .one_of({"donors", "grid"});
  s.value("resample_merge", &T::resample_merge,
          "whether two particles that come to lie on each other become one");
  s.number("resample_depth", &T::resample_depth, "", {0, 6, false, false},
           "how fine the search for gaps is: down to 1/2^depth of the spacing of particles; 0: 3, or 4 where "
           "the strain since the last time exceeds 0.1");
  s.number("newton_tolerance", &T::newton_tolerance, "", below_one,
           "of newton: part of the first residual of a step that may be left");
  s.number("newton_iterations", &T::newton_iterations, "", {1, 1000, false, false},
           "of newton: iterations in a step at most");
  s.number("linear_tolerance", &T::linear_tolerance, "", below_one,
           "of newton: part of the residual that the linear solver of an iteration may leave");
  s.number("linear_iterations", &T::linear_iterations, "", {1, 200, false, false},
           "of newton: iterations of the linear solver at most");
  s.value("seed", &T::seed,
          "of the random numbers in jittered and poisson seeding and in resampling; 0 or more");
  s.value("periodic", &T::periodic, "axes on which the domain repeats; needs [domain]")
      .one_of({"x", "y", "z"});
  s.number("threads", &T::threads, "", {0, 1024, false, false}, "0: all that the machine has");
  return s;
}

SectionOf<Domain> make_domain() {
  SectionOf<Domain> s(
      "domain",
      "The box that repeats on periodic axes. Optional: without it space is open and unbounded. Walls "
      "are colliders, not the domain. A periodic axis must be a multiple of 4 cells long. Only the material "
      "repeats on it: frames, metrics and gauges have every particle at its place in the domain, from min up "
      "to max. Colliders do not repeat: one that crosses the domain should reach across both borders. Nor do "
      "the shapes of gauges.",
      "[domain]\nmin = [0, 0, 0]\nmax = [\"12 cm\", \"10 cm\", \"1.2 cm\"]\nshear_rate = \"5 1/s\"\n");
  s.number("min", &Domain::min, "m", any_number, "lowest corner").must();
  s.number("max", &Domain::max, "m", any_number, "highest corner").must();
  s.number("shear_rate", &Domain::shear_rate, "1/s", any_number,
           "two sticky plates at the ends of the y axis, the colliders `shear-low` and `shear-high`, move "
           "along x and shear what is between them at this rate");
  return s;
}

SectionOf<Body> make_body() {
  SectionOf<Body> s(
      "bodies", "What is there at the start. Each `[[bodies]]` is one body.",
      "[[bodies]]\nmaterial = \"foam\"\nshape = { sphere = { center = [0, 0.1, 0], radius = \"4 cm\" } }\n"
      "velocity = [0, -1, 0]\n");
  s.value("material", &Body::material, "name of one of the [materials]").must();
  s.value("shape", &Body::shape, "a bounded solid").must();
  s.number("particles_per_cell", &Body::particles_per_cell, "", {0, 1000, true, false}, "on average");
  s.value("seeding", &Body::seeding, "how particles fill the shape").one_of(seedings);
  s.number("velocity", &Body::velocity, "m/s", any_number, "at the start");
  s.number("angular_velocity", &Body::angular_velocity, "rad/s", any_number,
           "at the start, about the centre of mass");
  s.value("layers", &Body::layers,
          "skins of other materials from the surface inwards, such as [{ material = \"crust\", depth = \"2 "
          "mm\" }]");
  return s;
}

SectionOf<Layer> make_layer() {
  SectionOf<Layer> s("layers", "A skin of a body.");
  s.value("material", &Layer::material, "name of one of the [materials]").must();
  s.number("depth", &Layer::depth, "m", above_zero, "below the surface of the body").must();
  return s;
}

SectionOf<Emitter> make_emitter() {
  using T = Emitter;
  SectionOf<T> s(
      "emitters",
      "Nozzles. Material flows out of the front of the shape, or, with `every`, whole copies of the shape "
      "leave one after the other.",
      "[[emitters]]\nmaterial = \"foam\"\n"
      "shape = { disc = { center = [0, 0.3, 0], normal = [0, -1, 0], radius = \"1 cm\" } }\n"
      "speed = { keys = [[0, 0], [0.5, 0.4]] }\nuntil = \"2 s\"\n");
  s.value("name", &T::name, "for reports");
  s.value("material", &T::material, "name of one of the [materials]").must();
  s.value("shape", &T::shape, "a disc or a bounded solid").must();
  s.number("speed", &T::speed, "m/s", from_zero, "of what flows out, relative to the nozzle");
  s.number("direction", &T::direction, "", any_number,
           "of the flow; a disc flows along its normal without it");
  s.number("from", &T::from, "s", from_zero, "time of the first particle");
  s.number("until", &T::until, "s", above_zero, "time of the last; without it the flow does not end");
  s.number("every", &T::every, "s", from_zero, "time between copies of the shape; 0: a steady flow");
  s.value(
      "wait", &T::wait,
      "of copies: each stays back while particles are closer to it than two cells; false: they may overlap");
  s.number("particles_per_cell", &T::particles_per_cell, "", {0, 1000, true, false}, "on average");
  s.value("seeding", &T::seeding, "how particles fill the shape").one_of(seedings);
  s.table("motion", &T::motion, motion_section, "of the nozzle; what leaves it moves along");
  return s;
}

SectionOf<Collider> make_collider() {
  using T = Collider;
  SectionOf<T> s("colliders", "Bodies that move as told and that the material runs into.",
                 "[[colliders]]\nname = \"block\"\nshape = { box = { center = [0, 0.15, 0], size = [0.1, "
                 "0.02, 0.1] } }\n"
                 "contact = \"sticky\"\n"
                 "motion = { position = { expression = [\"0.02*sin(2*pi*3*t)\", \"0\", \"0\"] } }\n");
  s.value("name", &T::name, "for reports, such as the contact force in `metrics.jsonl`");
  s.value("shape", &T::shape, "any solid").must();
  s.value("contact", &T::contact,
          "sticky: the material moves with the body; slip: it slides and never leaves; separate: it slides "
          "and may leave; no-slip: sticky, and exact for flows along walls that the material reaches two "
          "cells into")
      .one_of({"sticky", "slip", "separate", "no-slip"});
  s.number("friction", &T::friction, "", from_zero, "Coulomb's coefficient; sticky contacts do not use it");
  s.table("motion", &T::motion, motion_section, "a rigid motion");
  s.number("surface_velocity", &T::surface_velocity, "m/s", any_number,
           "of the surface relative to the body, as of a conveyor belt; turns with it; counts along the "
           "surface only");
  for (const Key& key : appearance_keys<T>()) s.keys.push_back(key);
  return s;
}

SectionOf<Motion> make_motion() {
  SectionOf<Motion> s(
      "motion",
      "A rigid motion of a collider or of an emitter's nozzle: a point X of the body at rest is at "
      "pivot + position + velocity t + S R (X - pivot). R turns by the angles `rotation` about the axes "
      "x, then y, then z of space, and S spins at constant angular velocity.",
      "motion = { rotation = { keys = [[0, [0, 0, 0]], [1, [0, \"90 deg\", 0]]], interpolation = "
      "\"smooth\" }, pivot = [0.1, 0, 0] }\n");
  s.number("velocity", &Motion::velocity, "m/s", any_number, "constant velocity of the pivot");
  s.number("angular_velocity", &Motion::angular_velocity, "rad/s", any_number, "constant");
  s.number("pivot", &Motion::pivot, "m", any_number, "the point that rotations leave in place");
  s.number("position", &Motion::position, "m", any_number, "displacement of the pivot");
  s.number("rotation", &Motion::rotation, "rad", any_number, "angles about x, y and z");
  return s;
}

SectionOf<Gauge> make_gauge() {
  using T = Gauge;
  SectionOf<T> s(
      "gauges",
      "Parts of the material to measure: what is in a shape, all of one material, or both. Each shows its "
      "`particles`, `mass`, `flow` (how fast its mass grows), `momentum`, `center_of_mass`, "
      "`kinetic_energy`, `bounds_min`, `bounds_max` and `max_speed` in `metrics.jsonl`, and `[expect]` "
      "knows them as `gauges.NAME.mass` and so on. Gauges do not touch the material.",
      "[[gauges]]\nname = \"below\"\nmaterial = \"foam\"\n"
      "shape = { box = { center = [0, -0.1, 0], size = [0.2, 0.2, 0.2] } }\n");
  s.value("name", &T::name, "of its numbers").must();
  s.value("material", &T::material, "name of one of the [materials]; without it all of them");
  s.value("shape", &T::shape, "any solid; without it everywhere");
  s.table("motion", &T::motion, motion_section, "a rigid motion of the shape");
  return s;
}

SectionOf<View> make_camera() {
  SectionOf<View> s(
      "camera",
      "From where pictures are taken. Optional: without it, the material and what is near it are framed.",
      "[camera]\neye = [0.3, 0.25, 0.6]\ntarget = [0, 0.1, 0]\nangle = \"35 deg\"\n");
  s.number("eye", &View::eye, "m", any_number, "place of the camera").must();
  s.number("target", &View::target, "m", any_number, "the point in the middle of the picture").must();
  s.number("angle", &View::angle, "rad", {0.01, 2.6, false, false}, "that the height of the picture spans");
  return s;
}

SectionOf<Output> make_output() {
  using T = Output;
  SectionOf<T> s(
      "output", "What is written for each frame.",
      "[output]\nparticles = [\"bgeo\", \"vtp\"]\nattributes = [\"velocity\", \"stress\"]\npreview = true\n");
  s.value("particles", &T::particles, "formats of the particle caches")
      .one_of({"bgeo", "vtp", "ply", "usda", "vdb"});
  s.value("attributes", &T::attributes,
          "of the particles: velocity id mass volume J stress stretch material, or any column of a model's "
          "state");
  s.value("preview", &T::preview, "a picture for each frame, and a movie");
  s.number("checkpoint_every", &T::checkpoint_every, "", {0, 1e9, false, false},
           "frames; 0: only when interrupted and at the end");
  s.value("survey", &T::survey,
          "metrics of the body that the particles form, such as volume and pieces; made also if [expect] "
          "names one");
  s.value("surface", &T::surface, "formats of the surface of all materials that are not shown as grains")
      .one_of({"vdb", "ply", "obj", "usda"});
  s.value("surface_method", &T::surface_method,
          "fast; smooth: rounder, slower; sharp: for thin sheets and threads")
      .one_of({"fast", "smooth", "sharp"});
  return s;
}

SectionOf<Material> make_material(const ModelInfo& model) {
  SectionOf<Material> s("materials", model.help.c_str());
  std::vector<std::string> presets;
  for (const PresetInfo& p : model.presets) presets.push_back(p.name);
  s.value("model", &Material::model, "constitutive model; may be left out where a preset is given")
      .one_of(model_names());
  s.value("preset", &Material::model, "values to start from; parameters beside it override them")
      .one_of(presets);
  const auto add = [&](const ParameterInfo& p) {
    const std::string name = p.name;
    const Range range{p.low, std::min(p.high, enormous), p.low_open, p.high < enormous && p.high_open};
    s.keys.push_back({name, p.unit, p.help, range, [name](void* material) {
                        return &static_cast<Material*>(material)->parameters[name];
                      }});
    if (p.words.empty()) return;
    s.keys.back().words = p.words;
    s.keys.back().slot = [name](void* material) {
      return WordSlot{&static_cast<Material*>(material)->parameters[name],
                      [](const void* v) { return int(*static_cast<const double*>(v)); },
                      [](void* v, int i) { *static_cast<double*>(v) = i; }};
    };
  };
  for (const ParameterInfo& p : model.parameters) add(p);
  for (const AlternativeInfo& a : model.alternatives)
    for (const ParameterInfo& p : a.others) add(p);
  for (const Key& key : appearance_keys<Material>()) s.keys.push_back(key);
  return s;
}

// bounds that are round in another unit are shown with six digits
std::string bound_text(double bound) {
  const std::string exact = fmt::format("{}", bound);
  return exact.size() <= 8 ? exact : fmt::format("{:.6g}", bound);
}

std::vector<ListKey> make_lists(const ModelInfo& model, const Section& section) {
  std::vector<ListKey> result;
  for (const ParameterListInfo& list : model.lists) {
    result.push_back({list.name, list.help, {}});
    Unit angle;
    parse_unit(list.angle_unit, angle);
    for (const std::string& member : list.members) {
      const Key& key = *section.find(member);
      const bool is_angle = key.unit == "rad";
      const double scale = is_angle ? angle.scale : 1;
      const Range plain{key.range.low / scale, std::min(key.range.high / scale, enormous), key.range.low_open,
                        key.range.high_open};
      result.back().items.push_back({key, scale, is_angle ? list.angle_unit : "", plain});
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> ListKey::members() const {
  std::vector<std::string> result;
  for (const ListItem& item : items) result.push_back(item.key.name);
  return result;
}

template <class T>
std::vector<Key> appearance_keys() {
  SectionOf<T> s("", "");
  s.value("look", &T::look, "in pictures; decides also whether it has a surface or is shown as grains")
      .one_of(look_names());
  s.number("color", &T::color, "", fraction, "in pictures: red, green and blue; without it that of the look");
  return s.keys;
}
template std::vector<Key> appearance_keys<Material>();
template std::vector<Key> appearance_keys<Collider>();

const Key* Section::find(const std::string& key) const {
  for (const Key& k : keys)
    if (k.name == key) return &k;
  return nullptr;
}

std::vector<std::string> Section::names() const {
  std::vector<std::string> result;
  for (const Key& key : keys) result.push_back(key.name);
  return result;
}

std::string range_text(const Range& range) {
  const bool no_low = range.low <= -enormous, no_high = range.high >= enormous;
  const std::string low = bound_text(range.low), high = bound_text(range.high);
  if (no_low && no_high) return "";
  if (no_high) return fmt::format("{} {}", range.low_open ? ">" : ">=", low);
  if (no_low) return fmt::format("{} {}", range.high_open ? "<" : "<=", high);
  if (range.low == range.high) return low;
  return fmt::format("{}{} {} {}", range.low_open ? "above " : "", low, range.high_open ? "to below" : "to",
                     high);
}

const Section& simulation_section() {
  static const Section section = make_simulation();
  return section;
}
const Section& domain_section() {
  static const Section section = make_domain();
  return section;
}
const Section& body_section() {
  static const Section section = make_body();
  return section;
}
const Section& layer_section() {
  static const Section section = make_layer();
  return section;
}
const Section& emitter_section() {
  static const Section section = make_emitter();
  return section;
}
const Section& collider_section() {
  static const Section section = make_collider();
  return section;
}
const Section& motion_section() {
  static const Section section = make_motion();
  return section;
}
const Section& gauge_section() {
  static const Section section = make_gauge();
  return section;
}
const Section& camera_section() {
  static const Section section = make_camera();
  return section;
}
const Section& output_section() {
  static const Section section = make_output();
  return section;
}
const Section& material_section(std::size_t model) {
  static const std::vector<Section> sections = [] {
    std::vector<Section> result;
    for (const ModelInfo& info : models()) result.push_back(make_material(info));
    return result;
  }();
  return sections.at(model);
}

const std::vector<ListKey>& material_lists(std::size_t model) {
  static const std::vector<std::vector<ListKey>> lists = [] {
    std::vector<std::vector<ListKey>> result;
    for (std::size_t i = 0; i < models().size(); ++i)
      result.push_back(make_lists(models()[i], material_section(i)));
    return result;
  }();
  return lists.at(model);
}

std::string label_of(const Part& part) {
  return part.is_list ? fmt::format("[[{}]]", part.name) : fmt::format("[{}]", part.name);
}

const std::vector<Part>& parts() {
  static const std::vector<Part> all{{"simulation", simulation_section, false},
                                     {"domain", domain_section, false},
                                     {"bodies", body_section, true},
                                     {"emitters", emitter_section, true},
                                     {"colliders", collider_section, true},
                                     {"gauges", gauge_section, true},
                                     {"camera", camera_section, false},
                                     {"output", output_section, false}};
  return all;
}

}  // namespace dollop
