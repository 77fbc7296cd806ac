// A model as loops over chunks of particles. Included by the unit of each model only, which cmake/materials.cmake makes.
#pragma once

#include <cstring>
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
  static constexpr bool long_chain = requires { requires Model::long_chain; };
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

  // x in the lanes below `count`, zero in the others
  static DOLLOP_INLINE Pack<S> keep_first(const Pack<S>& x, int count) {
    S lanes[std::size_t(Pack<S>::lanes)];
    x.store(lanes);
    for (int k = count; k < Pack<S>::lanes; ++k) lanes[k] = S(0);
    return Pack<S>::load(lanes);
  }
  template <class R>
  static DOLLOP_INLINE Mat3<R> load_increment(const S* du) {
    return make_mat3<R>([&](int row, int col) { return R::load(du + advance_size * (3 * row + col)); });
  }
  // up to a pack of particles; where packs go in pairs mostly, it is not worth a copy of the model
  static DOLLOP_INLINE void advance_pack(const StepLaw& l, const S* du, S* const* columns, std::size_t i,
                                         int count) {
    using R = Pack<S>;
    State<R> s = load<R>(columns, i);
    Mat3<R> increment = load_increment<R>(du);
    // lanes without a particle are not strained: what they hold is left over from others
    if (count < R::lanes)
      increment = make_mat3<R>([&](int row, int col) { return keep_first(increment(row, col), count); });
    if constexpr (long_chain)
      step_apart(l, increment, s);
    else
      l.predict(increment, s), l.return_map(s);
    store<R>(s, columns, i, count);
  }
  static DOLLOP_INLINE void advance_pair(const StepLaw& l, const S* du, S* const* columns, std::size_t i) {
    using R = PackPair<S>;
    State<R> s = load<R>(columns, i);
    l.predict(load_increment<R>(du), s);
    l.return_map(s);
    store<R>(s, columns, i, R::lanes);
  }
  // More than a pack of particles and less than a pair: a copy of them is advanced as a whole pair.
  DOLLOP_APART static void advance_part_of_pair(const void* law, const S* du, S* const* columns,
                                                std::size_t i, int count) {
    constexpr std::size_t lanes = PackPair<S>::lanes,
                          reals = sizeof(State<S>) / sizeof(S);  // it has numbers alone
    const auto particles = std::size_t(count);
    alignas(64) S copy[reals][lanes], increment[9 * advance_size] = {};
    S* copies[reals];
    for (std::size_t c = 0; c < reals; ++c) {
      copies[c] = copy[c];
      std::memcpy(copy[c], columns[c] + i, sizeof copy[c]);
    }
    for (std::size_t e = 0; e < 9; ++e)
      std::memcpy(increment + advance_size * e, du + advance_size * e, particles * sizeof(S));
    advance(law, increment, copies, 0, PackPair<S>::lanes);
    for (std::size_t c = 0; c < reals; ++c) std::memcpy(columns[c] + i, copy[c], particles * sizeof(S));
  }
  static void advance(const void* law, const S* du, S* const* columns, std::size_t i, int count) {
    const StepLaw l = *static_cast<const StepLaw*>(law);
    int k = 0;
    if constexpr (long_chain) {  // two packs at a time, as long as there are particles
      for (; count - k >= PackPair<S>::lanes; k += PackPair<S>::lanes)
        advance_pair(l, du + k, columns, i + std::size_t(k));
      if (count - k > Pack<S>::lanes)
        return advance_part_of_pair(law, du + k, columns, i + std::size_t(k), count - k);
    }
    for (; k < count; k += Pack<S>::lanes) advance_pack(l, du + k, columns, i + std::size_t(k), count - k);
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
