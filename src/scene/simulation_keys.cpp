// [simulation] with the tables of the methods, [domain], [camera] and [output].
#include <fmt/format.h>

#include <algorithm>

#include "scene/document.h"
#include "scene/keys.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

using MethodTable = std::map<std::string, double>;  // settings of a method by name

// [simulation.NAME] of a method, with its defaults
Section make_method(const MethodInfo& method) {
  SectionOf<MethodTable> s(
      "simulation." + method.name,
      fmt::format("Settings of `solver = \"{}\"`: {}. The table may stay in a scene that "
                  "uses another solver; it has no effect then.",
                  method.name, method.help));
  MethodTable defaults;
  s.example = fmt::format("[{}]\n", s.name);
  for (const ParameterInfo& p : method.settings) {
    const std::string name = p.name;
    s.keys.push_back({name, p.unit, p.help, key_range(p), [&p](void* table) -> Slot {
                        double& value = (*static_cast<MethodTable*>(table))[p.name];
                        if (p.words.empty()) return &value;
                        return word_slot(value, p.words);
                      }});
    s.keys.back().words = p.words;
    defaults[name] = p.default_value;
    s.example += p.words.empty()
                     ? fmt::format("{} = {}\n", name, p.default_value)
                     : fmt::format("{} = \"{}\"\n", name, p.words.at(std::size_t(p.default_value)));
  }
  s.make_default = [defaults] { return std::make_shared<MethodTable>(defaults); };
  return s;
}

const std::vector<Section>& method_sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> result;
    for (const MethodInfo& method : methods()) result.push_back(make_method(method));
    return result;
  }();
  return all;
}

// the key `solver`, and a table for each method that has settings
void add_solver(SectionOf<SimulationTable>& s) {
  std::string help = "chooses the method of time integration";
  std::vector<std::string> quoted_names;
  for (const MethodInfo& method : methods()) {
    help += fmt::format("; {}: {}", method.name, method.help);
    quoted_names.push_back("\"" + method.name + "\"");
  }
  const std::string later =
      fmt::format("this version does not have that solver; write solver = {}", listed(quoted_names));
  s.value("solver", &SimulationTable::solver, help)
      .one_of(method_names(), {{"points", later}, {"implicit", "the implicit solver is \"newton\""}});
}

void add_method_tables(SectionOf<SimulationTable>& s) {
  for (std::size_t i = 0; i < methods().size(); ++i) {
    const std::string name = methods()[i].name;
    if (methods()[i].settings.empty()) {
      s.refused.push_back({name, fmt::format("the solver '{}' has no settings; remove the table", name)});
      continue;
    }
    s.keys.push_back({name, "", fmt::format("sets how solver = \"{0}\" works: see [simulation.{0}]", name),
                      any_number, [name](void* simulation) {
                        return TableSlot{&static_cast<SimulationTable*>(simulation)->methods[name]};
                      }});
    s.keys.back().table = &method_sections()[i];
    s.keys.back().has_header = true;
  }
  // keys of [simulation] that have moved into a table
  const std::string place = " in [simulation.newton]";
  s.refused.push_back({"newton_tolerance", "newton_tolerance is now tolerance" + place});
  s.refused.push_back({"newton_iterations", "newton_iterations is now iterations" + place});
  s.refused.push_back({"linear_tolerance", "linear_tolerance is now" + place});
  s.refused.push_back({"linear_iterations", "linear_iterations is now" + place});
}

void add_transfers(SectionOf<SimulationTable>& s) {
  using T = SimulationTable;
  s.value("kernel", &T::kernel,
          "chooses the B-spline that interpolates between particles and grid nodes; cubic is smoother, "
          "quadratic is faster");
  s.value("transfer", &T::transfer,
          "chooses how velocity is transferred between particles and grid; pic damps most, flip blends pic "
          "with FLIP by flip_ratio, apic keeps the affine velocity of each particle, rpic keeps its "
          "rotation, fading is apic with a damping that does not depend on the time step");
  s.number("flip_ratio", &T::flip_ratio, "", fraction,
           "sets the share of FLIP in transfer = \"flip\": 1 is pure FLIP, 0 is PIC; lower it to damp more");
  s.number("flip_dt", &T::flip_dt, "s", from_zero,
           "sets the time over which flip_ratio acts once, so that damping does not depend on the time step; "
           "with 0 it acts once in every step");
  s.number(
      "fading_time", &T::fading_time, "s", from_zero,
      "sets the time constant with which transfer = \"fading\" damps motion that the grid cannot resolve: a "
      "longer one damps less and leaves more noise; 0 takes 4 of the longest stable explicit steps, or more "
      "for nearly incompressible materials");
  s.number(
      "rpic_damping", &T::rpic_damping, "", fraction,
      "sets the fraction of the symmetric affine velocity that transfer = \"rpic\" drops: 1 drops all of "
      "it, 0 is APIC");
  s.number(
      "damping_trips", &T::damping_trips, "", {0, 1000, false, false},
      "takes so many round trips through the grid before each step: each damps like a kinematic viscosity "
      "of cell_size^2 / (6 dt) with kernel = \"cubic\", of cell_size^2 / (8 dt) with \"quadratic\", keeps "
      "momentum and angular momentum, and takes about as long as an explicit step of an elastic material; "
      "for transfer = "
      "\"apic\", \"rpic\" or \"fading\"; damping_viscosity damps alike in steps of any length");
  s.number(
      "damping_viscosity", &T::damping_viscosity, "m^2/s", from_zero,
      "damps motion like this kinematic viscosity, whatever the time step, by parts of round trips through "
      "the grid; free of cost while it is less than cell_size^2 / (6 dt), cubic, or cell_size^2 / (8 dt); "
      "for transfer = \"apic\", \"rpic\" or \"fading\", without damping_trips");
  s.value("forces", &T::forces,
          "chooses how nodal forces follow from stress; mls: by the moments of the kernel (MLS-MPM), "
          "gradient: by its gradient");
  s.value("advection", &T::advection,
          "chooses the velocity that moves the particles; grid: interpolated from the grid, particle: their "
          "own; the two differ for transfer = \"flip\" only");
}

void add_time_steps(SectionOf<SimulationTable>& s) {
  using T = SimulationTable;
  s.number("max_dt", &T::max_dt, "s", above_zero,
           "limits the time step, of solver = \"subcycled\" that of the sub-steps; without it, stability "
           "(explicit "
           "and subcycled only) and cfl decide");
  s.number("min_dt", &T::min_dt, "s", from_zero,
           "ends the run when a step fails and would have to be repeated with one shorter than this");
  s.number("dt_safety", &T::dt_safety, "", positive_fraction,
           "sets the explicit time step as a fraction of the stability bound; lower it if many steps are "
           "rejected");
  s.number("cfl", &T::cfl, "", positive_fraction,
           "limits how far particles and colliders move in a step, in cells");
}

void add_resampling(SectionOf<SimulationTable>& s) {
  using T = SimulationTable;
  s.number(
      "resample_every", &T::resample_every, "", {0, 1e9, false, false},
      "runs particle resampling every so many steps: voids, where there are fewer than about 8 particles "
      "per cell, are filled with new particles and coincident particles are merged; 0 switches it off");
  s.number("resample_strain", &T::resample_strain, "", from_zero,
           "runs particle resampling whenever max dt |grad v|, summed over the steps since the last one, "
           "exceeds this; 0.2 is safe, 0 switches it off");
  s.value("resample_fields", &T::resample_fields,
          "chooses velocity and state of inserted particles; donors: averages over the particles that give "
          "them mass, which conserves momentum and adds no energy, grid: interpolated from the grid as "
          "published, which guarantees neither");
  s.value("resample_merge", &T::resample_merge, "lets resampling merge two particles that coincide into one");
  s.number("resample_depth", &T::resample_depth, "", {0, 6, false, false},
           "sets how small the voids are that resampling searches for: down to 1/2^depth of the particle "
           "spacing; 0 chooses 3, or 4 where the strain since the last resampling exceeds 0.1");
}

SectionOf<SimulationTable> make_simulation() {
  using T = SimulationTable;
  SectionOf<T> s("simulation", "How the scene is simulated.",
                 "[simulation]\nduration = \"3 s\"\ncell_size = \"3 mm\"\ntransfer = \"flip\"\n"
                 "gravity = [0, \"-9.81 m/s^2\", 0]\n");
  add_solver(s);
  s.number("duration", &T::duration, "s", above_zero, "sets the simulated time of the run").must();
  s.number("frame_rate", &T::frame_rate, "1/s", above_zero,
           "sets the number of output frames per second of simulated time");
  s.number("cell_size", &T::cell_size, "m", above_zero,
           "sets the edge length of a grid cell; half the size resolves twice as fine detail and takes 8 "
           "times as many particles")
      .must();
  add_transfers(s);
  s.number("gravity", &T::gravity, "m/s^2", any_number, "sets the acceleration by gravity");
  s.value("precision", &T::precision,
          "chooses the floating-point type of positions, velocities and stresses; double takes about twice "
          "the memory and time");
  add_time_steps(s);
  s.value("volume_init", &T::volume_init,
          "chooses the initial volumes of particles; exact: those of the seeding, estimated: mass over the "
          "density measured on the grid, which is too large a volume at surfaces");
  add_resampling(s);
  s.value("seed", &T::seed,
          "sets the seed of the random numbers of jittered and poisson seeding and of resampling; 0 or more");
  s.value("periodic", &T::periodic, "lists the axes on which the domain repeats; needs [domain]")
      .one_of({"x", "y", "z"});
  s.number("threads", &T::threads, "", {0, 1024, false, false},
           "sets the number of threads; 0 uses all cores of the machine");
  add_method_tables(s);
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
  s.number("min", &Domain::min, "m", any_number, "sets the lowest corner of the box").must();
  s.number("max", &Domain::max, "m", any_number, "sets the highest corner of the box").must();
  s.number("shear_rate", &Domain::shear_rate, "1/s", any_number,
           "shears the material at this rate: two sticky plates at the ends of the y axis, the colliders "
           "`shear-low` and `shear-high`, move along x in opposite directions");
  return s;
}

SectionOf<View> make_camera() {
  SectionOf<View> s(
      "camera",
      "The camera of the pictures. Optional: without it, the material and what is near it are framed.",
      "[camera]\neye = [0.3, 0.25, 0.6]\ntarget = [0, 0.1, 0]\nangle = \"35 deg\"\n");
  s.number("eye", &View::eye, "m", any_number, "sets the position of the camera").must();
  s.number("target", &View::target, "m", any_number, "sets the point in the middle of the picture").must();
  s.number("angle", &View::angle, "rad", {0.01, 2.6, false, false}, "sets the vertical field of view");
  return s;
}

SectionOf<Output> make_output() {
  using T = Output;
  SectionOf<T> s(
      "output", "What is written for each frame.",
      "[output]\nparticles = [\"bgeo\", \"vtp\"]\nattributes = [\"velocity\", \"stress\"]\npreview = true\n");
  s.value("particles", &T::particles, "lists the file formats of the particle caches")
      .one_of({"bgeo", "vtp", "ply", "usda", "vdb"});
  s.value("attributes", &T::attributes,
          "lists the attributes that particle caches contain: velocity id mass volume J stress stretch "
          "material, and the columns of a model's state by name");
  s.value("preview", &T::preview, "renders pictures of the run, and a movie of them");
  s.number(
      "preview_share", &T::preview_share, "", {0, 1, true, false},
      "sets the largest part of the run's time that the preview may take, by the size of its pictures and "
      "by how many frames get one; with 1 every frame gets a picture of 640 x 360");
  s.number("checkpoint_every", &T::checkpoint_every, "", {0, 1e9, false, false},
           "writes a checkpoint every so many frames; with 0 only when interrupted and at the end");
  s.value("survey", &T::survey,
          "adds metrics of the body that the particles form, such as volume and pieces; also switched on "
          "when [expect] names one");
  s.value(
       "surface", &T::surface,
       "lists the file formats of the surface mesh, which covers all materials that are not shown as grains")
      .one_of({"vdb", "ply", "obj", "usda"});
  s.value("surface_method", &T::surface_method,
          "chooses how the surface is made; fast: suits most scenes, smooth: rounds bodies more and is "
          "slowest, sharp: keeps edges and thin sheets")
      .one_of({"fast", "smooth", "sharp"});
  s.value("surface_mesh", &T::surface_mesh,
          "lists the file formats of the surface meshes of bodies; pictures of a finished run, the viewer "
          "and exports "
          "read ply")
      .one_of({"ply", "obj", "usda"});
  return s;
}

}  // namespace

const Section& simulation_section() {
  static const Section section = make_simulation();
  return section;
}
const Section& domain_section() {
  static const Section section = make_domain();
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

}  // namespace dollop
