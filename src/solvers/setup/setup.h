// The data that are fixed once a simulation has been set up.
#pragma once

#include <dollop/scene.h>

#include <vector>

#include "boundary/embedded_mesh.h"
#include "grid/kernels.h"
#include "materials/registry.h"
#include "particles/emission.h"
#include "solvers/setup/state.h"

namespace dollop {

// A material of the scene, ready for the loops.
template <class S>
struct MaterialBinding {
  const MaterialKernels<S>* kernels = nullptr;
  std::vector<double> parameters = {};
  LawBytes law{};            // law of a state, without dt; the laws of a step are in StepGrid
  int model = -1;            // index into material_list.h
  Stiffness stiffness = {};  // with the least density of its particles
  Removal removal = {};
  int weak_array = -1;  // column that is 1 where a particle is torn; -1: the material cannot tear

  bool tears() const { return weak_array >= 0; }
  void make_law() { kernels->make_law(parameters.data(), law.data()); }
};

// An emitter, ready to let particles out.
struct Nozzle {
  EmitterPlan plan;
  int group;
  double density;  // of the material [kg/m^3]
};

// The surface mesh of a body.
struct BodySurface {
  std::size_t body;   // index into the scene's bodies
  EmbeddedMesh mesh;  // as it is at the start
  double
      enough_mass;  // of a node whose velocity counts fully                                       (EMB.2) [kg]
  std::vector<char>
      held;  // of each point: it is inside a collider at the start                         (EMB.5)
};

template <class S>
struct Setup {
  Scene scene;                                // as the user wrote it
  std::vector<Collider> colliders;            // those of the scene, then the plates of a sheared domain
  const InstructionSet* isa = nullptr;        // the instruction set of the loops
  std::vector<MaterialBinding<S>> materials;  // one for each group
  std::vector<Nozzle> nozzles;                // one for each emitter
  double fading_time = 0;                     // of transfer = "fading" [s]
  std::vector<BodySurface> meshes = {};       // of the bodies that have one

  const Settings& settings() const { return scene.settings; }
  const LoopTables<S>& loops() const { return isa->loops<S>(); }
};

// Prepares a scene that has been validated, and fills an empty state with the particles of its bodies. `method_columns`
// are the columns of the method beside the common ones. Throws SceneError for a body or nozzle that holds no particle.
template <class S>
Setup<S> set_up(const Scene& scene, const std::vector<Column>& method_columns, State<S>& state);

// the materials of bodies, layers and emitters, in the order of the scene
std::vector<const Material*> used_materials(const Scene& scene);

// Time constant of the fading transfer [s]: the one that is set, or else the least of those of the materials that the scene
// uses. It depends neither on the steps nor on the method nor on what is there at a time.
double fading_time(const Scene& scene);

// the group of a material; throws SceneError if the scene has no such material
int group_of(const Scene& scene, const std::string& material);

}  // namespace dollop
