// A model as loops over chunks of particles. Included by the unit of each model only, which cmake/materials.cmake makes.
#pragma once

#include <new>
#include <tuple>

#include "materials/model_loops.h"
#include "materials/state_columns.h"
#include "materials/step_law.h"
#include "materials/tearing.h"
#include "math/pack_pair.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// the parameters of a model in their order, and then those of tearing
template <class Model>
const double* assign(Model& model, const double* values) {
  std::apply([&](const auto&... p) { ((void)(model.*(p.value) = *values++), ...); }, Model::parameters);
  return values;
}
template <class Model>
const double* assign(Tearing<Model>& tearing, const double* values) {
  return assign(tearing.rule, assign(tearing.model, values));
}

template <class Model, class S>
struct Kernels {
  using Law = typename Model::template Law<S>;
  using StepLaw = StepLawOf<Model, S>;
  static_assert(sizeof(Law) <= max_law_bytes && sizeof(StepLaw) <= max_law_bytes);
  template <class R>
  using State = typename Model::template State<R>;

  template <class R>
  static DOLLOP_INLINE State<R> load(S* const* columns, std::size_t i) {
    return load_state<State<R>, R>(columns, i);
  }
  template <class R>
  static DOLLOP_INLINE void store(State<R>& s, S* const* columns, std::size_t i, int count) {
    int k = 0;
    State<R>::columns(s, [&](const char*, auto& column) {
      each_real(column, [&](R& x) { x.store(columns[k++] + i, count); });
    });
  }
  static DOLLOP_INLINE const Law& law_of(const void* law) { return *static_cast<const Law*>(law); }

  static Model model_of(const double* values) {
    Model model;
    assign(model, values);
    return model;
  }
  static void make_law(const double* values, void* law) { new (law) Law(model_of(values).template law<S>()); }
  static void make_step_law(const double* values, double dt, void* law) {
    new (law) StepLaw(step_law<S>(model_of(values), dt));
  }

  // the six numbers of a symmetric matrix, each for all particles
  static DOLLOP_INLINE void store_matrix(SymMat3<Pack<S>> a, S* out) {
    each_real(a, [&](Pack<S>& x) { x.store(out), out += chunk_size; });
  }
  static void stress(const void* law, S* const* columns, std::size_t i, S* tau) {
    using R = Pack<S>;
    const Law l = law_of(law);
    for (int k = 0; k < chunk_size; k += R::lanes)
      store_matrix(l.stress(load<R>(columns, i + std::size_t(k))), tau + k);
  }
  static void strain(const void* law, S* const* columns, std::size_t i, S* e) {
    using R = Pack<S>;
    for (int k = 0; k < chunk_size; k += R::lanes)
      store_matrix(law_of(law).strain(load<R>(columns, i + std::size_t(k))), e + k);
  }

  // lanes without a particle are not strained: what they hold is left over from others
  template <class R>
  static DOLLOP_INLINE R of_particles(const R& x, int count) {
    if (count >= R::lanes) return x;
    S lanes[std::size_t(R::lanes)];
    x.store(lanes);
    for (int k = count; k < R::lanes; ++k) lanes[k] = S(0);
    return R::load(lanes);
  }
  template <class R>
  static DOLLOP_INLINE void advance_some(const StepLaw& l, const S* du, S* const* columns, std::size_t i,
                                         int count) {
    State<R> s = load<R>(columns, i);
    const auto increment = [&](int row, int col) {
      return of_particles(R::load(du + advance_size * (3 * row + col)), count);
    };
    l.predict(make_mat3<R>(increment), s);
    l.return_map(s);
    store<R>(s, columns, i, count);
  }
  static void advance(const void* law, const S* du, S* const* columns, std::size_t i, int count) {
    const StepLaw l = *static_cast<const StepLaw*>(law);
    int k = 0;
    if constexpr (requires {
                    requires Model::long_chain;
                  })  // two packs at a time, as long as there are particles
      for (; count - k > Pack<S>::lanes; k += PackPair<S>::lanes)
        advance_some<PackPair<S>>(l, du + k, columns, i + std::size_t(k), count - k);
    for (; k < count; k += Pack<S>::lanes)
      advance_some<Pack<S>>(l, du + k, columns, i + std::size_t(k), count - k);
  }

  static void energy(const void* law, S* const* columns, std::size_t i, S* out) {
    using R = Pack<S>;
    for (int k = 0; k < chunk_size; k += R::lanes)
      law_of(law).energy(load<R>(columns, i + std::size_t(k))).store(out + k);
  }
  static void volume_ratio(const void* law, S* const* columns, std::size_t i, S* out) {
    using R = Pack<S>;
    for (int k = 0; k < chunk_size; k += R::lanes)
      law_of(law).volume_ratio(load<R>(columns, i + std::size_t(k))).store(out + k);
  }
  static void rebuild(const void* law, const S* j, S* const* columns, std::size_t i, int count) {
    using R = Pack<S>;
    for (int k = 0; k < count; k += R::lanes) {
      State<R> s = load<R>(columns, i + std::size_t(k));
      law_of(law).rebuild(R::load(j + k), s);
      store<R>(s, columns, i + std::size_t(k), count - k);
    }
  }
  static constexpr MaterialKernels<S> table = {.name = Model::name,
                                               .make_law = make_law,
                                               .stress = stress,
                                               .strain = strain,
                                               .energy = energy,
                                               .volume_ratio = volume_ratio,
                                               .rebuild = rebuild,
                                               .make_step_law = make_step_law,
                                               .advance = advance};
};

}  // namespace

template <class Model, class S>
const MaterialKernels<S>* material_loops(bool tears) {
  if (!tears) return &Kernels<Model, S>::table;
  if constexpr (CanTear<Model>) return &Kernels<Tearing<Model>, S>::table;
  return nullptr;
}

}  // namespace dollop::inline DOLLOP_ISA
