// The loops of the models by their position in material_list.h.
#include <utility>

#include "materials/material_list.h"
#include "materials/model_loops.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S, std::size_t... I>
const MaterialKernels<S>* material_at(int index, bool tears, std::index_sequence<I...>) {
  static constexpr const MaterialKernels<S>* (*loops[])(bool) = {
      material_loops<std::tuple_element_t<I, MaterialList>, S>...};
  return loops[index](tears);
}
template <class S, std::size_t... I>
const ImplicitMaterial<S>* implicit_at(int index, bool tears, StepForces forces, std::index_sequence<I...>) {
  static constexpr const ImplicitMaterial<S>* (*loops[])(
      bool, StepForces) = {implicit_loops<std::tuple_element_t<I, MaterialList>, S>...};
  return loops[index](tears, forces);
}
template <class S, std::size_t... I>
const AdmmMaterial<S>* admm_at(int index, bool tears, std::index_sequence<I...>) {
  static constexpr const AdmmMaterial<S>* (*loops[])(bool) = {
      admm_loops<std::tuple_element_t<I, MaterialList>, S>...};
  return loops[index](tears);
}
using Indices = std::make_index_sequence<std::size_t(material_count)>;

}  // namespace

template <class S>
const MaterialKernels<S>* choose_material(int index, bool tears) {
  return material_at<S>(index, tears, Indices{});
}
template <class S>
const ImplicitMaterial<S>* choose_implicit_material(int index, bool tears, StepForces forces) {
  return implicit_at<S>(index, tears, forces, Indices{});
}
template <class S>
const AdmmMaterial<S>* choose_admm_material(int index, bool tears) {
  return admm_at<S>(index, tears, Indices{});
}
template const MaterialKernels<float>* choose_material(int, bool);
template const MaterialKernels<double>* choose_material(int, bool);
template const ImplicitMaterial<float>* choose_implicit_material(int, bool, StepForces);
template const ImplicitMaterial<double>* choose_implicit_material(int, bool, StepForces);
template const AdmmMaterial<float>* choose_admm_material(int, bool);
template const AdmmMaterial<double>* choose_admm_material(int, bool);

}  // namespace dollop::inline DOLLOP_ISA
