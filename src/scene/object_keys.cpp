// [[bodies]], [[emitters]], [[colliders]] with their motion, and [[gauges]].
#include "scene/keys.h"

namespace dollop {
namespace {

const char* const material_help = "names one of the [materials]";
const char* const density_help = "sets the average number of particles in a full cell";
const char* const seeding_help =
    "chooses how particles fill the shape; lattice: a regular lattice, jittered: each particle moved at "
    "random "
    "within its lattice cube, poisson: random points with a least distance";
const Range particle_density{0, 1000, true, false};

SectionOf<Body> make_body() {
  SectionOf<Body> s(
      "bodies", "The material that is there at the start. Each `[[bodies]]` is one body.",
      "[[bodies]]\nmaterial = \"foam\"\nshape = { sphere = { center = [0, 0.1, 0], radius = \"4 cm\" } }\n"
      "velocity = [0, -1, 0]\n");
  s.value("material", &Body::material, material_help).must();
  s.value("shape", &Body::shape, "sets the shape of the body, a bounded solid").must();
  s.number("particles_per_cell", &Body::particles_per_cell, "", particle_density, density_help);
  s.value("seeding", &Body::seeding, seeding_help);
  s.number("velocity", &Body::velocity, "m/s", any_number, "sets the initial velocity");
  s.number("angular_velocity", &Body::angular_velocity, "rad/s", any_number,
           "sets the initial angular velocity about the centre of mass");
  s.value("layers", &Body::layers,
          "covers the body with skins of other materials, listed from the surface inwards, such as "
          "[{ material = \"crust\", depth = \"2 mm\" }]");
  s.value(
      "surface_mesh", &Body::surface_mesh,
      "gives the body a triangle mesh that moves with the material and is written, drawn and exported in "
      "place of a surface made from the particles; \"shape\" takes the surface of the shape, anything else "
      "names "
      "a mesh file of any common format, relative to the folder of the scene, which is scaled, rotated and "
      "translated as the shape is");
  s.number("surface_edge", &Body::surface_edge, "m", from_zero,
           "divides the edges of surface_mesh that are longer than this, so that they can bend; 0 divides "
           "those of "
           "\"shape\" that are longer than a cell, and keeps the triangles of a file");
  return s;
}

SectionOf<Layer> make_layer() {
  SectionOf<Layer> s("layers", "A skin of a body that is made of another material.");
  s.value("material", &Layer::material, material_help).must();
  s.number("depth", &Layer::depth, "m", above_zero,
           "sets how deep the layer reaches below the surface of the body")
      .must();
  return s;
}

SectionOf<Emitter> make_emitter() {
  using T = Emitter;
  SectionOf<T> s(
      "emitters",
      "Nozzles. Material flows out of the front of the shape, or, with `every`, whole copies of the "
      "shape leave one after the other.",
      "[[emitters]]\nmaterial = \"foam\"\n"
      "shape = { disc = { center = [0, 0.3, 0], normal = [0, -1, 0], radius = \"1 cm\" } }\n"
      "speed = { keys = [[0, 0], [0.5, 0.4]] }\nuntil = \"2 s\"\n");
  s.value("name", &T::name, "names the emitter in reports");
  s.value("material", &T::material, material_help).must();
  s.value("shape", &T::shape, "sets the opening of the nozzle, a disc or a bounded solid").must();
  s.number("speed", &T::speed, "m/s", from_zero, "sets the speed of the material relative to the nozzle");
  s.number("direction", &T::direction, "", any_number,
           "sets the direction of the flow, of any length; a disc needs none and emits along its normal");
  s.number("from", &T::from, "s", from_zero, "sets the time at which the flow begins");
  s.number("until", &T::until, "s", above_zero,
           "sets the time at which the flow ends; without it the flow does not end");
  s.number("every", &T::every, "s", from_zero,
           "emits a whole copy of the shape at intervals of this time; 0 makes a steady flow");
  s.value("wait", &T::wait,
          "holds a copy back while any particle is within two cells of it; with false copies may overlap "
          "other material");
  s.number("particles_per_cell", &T::particles_per_cell, "", particle_density, density_help);
  s.value("seeding", &T::seeding, seeding_help);
  s.table("motion", &T::motion, motion_section(),
          "moves the nozzle; the material leaves with the velocity of the nozzle added");
  return s;
}

SectionOf<Collider> make_collider() {
  using T = Collider;
  SectionOf<T> s("colliders", "Rigid bodies with a prescribed motion that the material collides with.",
                 "[[colliders]]\nname = \"block\"\nshape = { box = { center = [0, 0.15, 0], size = [0.1, "
                 "0.02, 0.1] } }\n"
                 "contact = \"sticky\"\n"
                 "motion = { position = { expression = [\"0.02*sin(2*pi*3*t)\", \"0\", \"0\"] } }\n");
  s.value("name", &T::name,
          "names the collider in reports; `metrics.jsonl` has the contact forces of colliders with a name");
  s.value("shape", &T::shape, "sets the shape, any solid").must();
  s.value(
      "contact", &T::contact,
      "chooses how the material moves at the surface; sticky: it moves with the body, slip: it slides and "
      "never leaves, separate: it slides and may leave, no-slip: sticky, and exact for flows along walls "
      "if the material extends two cells into them");
  s.number("friction", &T::friction, "", from_zero,
           "sets the Coulomb friction coefficient; sticky and no-slip contacts ignore it");
  s.table("motion", &T::motion, motion_section(), "moves the collider");
  s.number(
      "surface_velocity", &T::surface_velocity, "m/s", any_number,
      "moves the surface relative to the body, as on a conveyor belt; the vector turns with the body, and "
      "only its tangential part counts");
  s.number("from", &T::from, "s", from_zero, "sets the time at which the collider appears");
  s.number("until", &T::until, "s", above_zero,
           "sets the time at which the collider vanishes and lets go of the material; without it it stays");
  for (const Key& key : appearance_keys<T>()) s.keys.push_back(key);
  return s;
}

SectionOf<Motion> make_motion() {
  SectionOf<Motion> s(
      "motion",
      "A rigid motion of a collider, of an emitter's nozzle or of the shape of a gauge: a point X of the "
      "body "
      "at rest is at pivot + position + velocity t + S R (X - pivot). R rotates by the angles `rotation` "
      "about the axes x, then y, then z of space, and S spins at constant angular velocity.",
      "motion = { rotation = { keys = [[0, [0, 0, 0]], [1, [0, \"90 deg\", 0]]], interpolation = "
      "\"smooth\" }, pivot = [0.1, 0, 0] }\n");
  s.number("velocity", &Motion::velocity, "m/s", any_number, "sets a constant velocity of the pivot");
  s.number("angular_velocity", &Motion::angular_velocity, "rad/s", any_number,
           "sets a constant angular velocity about the pivot");
  s.number("pivot", &Motion::pivot, "m", any_number, "sets the point that rotations leave in place");
  s.number("position", &Motion::position, "m", any_number,
           "displaces the pivot from where it is at rest; usually animated");
  s.number("rotation", &Motion::rotation, "rad", any_number,
           "rotates by angles about x, then y, then z; usually animated");
  return s;
}

SectionOf<Gauge> make_gauge() {
  using T = Gauge;
  SectionOf<T> s(
      "gauges",
      "Parts of the material to measure: what is in a shape, all of one material, or both. Each measures its "
      "`particles`, `mass`, `flow` (rate of change of its mass), `momentum`, `center_of_mass`, "
      "`kinetic_energy`, `bounds_min`, `bounds_max` and `max_speed`. They are in `metrics.jsonl`, and "
      "`[expect]` knows them as `gauges.NAME.mass` and so on. Gauges do not act on the material.",
      "[[gauges]]\nname = \"below\"\nmaterial = \"foam\"\n"
      "shape = { box = { center = [0, -0.1, 0], size = [0.2, 0.2, 0.2] } }\n");
  s.value("name", &T::name, "names the gauge in metrics and [expect]").must();
  s.value("material", &T::material, "measures only this one of the [materials]; without it all of them");
  s.value("shape", &T::shape, "measures only particles in this solid; without it all of space");
  s.table("motion", &T::motion, motion_section(), "moves the shape");
  return s;
}

}  // namespace

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

}  // namespace dollop
