// Shared by the tests of all models: a model in one precision, sets of parameters, states as lists of numbers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "materials/state_columns.h"
#include "materials/step_law.h"
#include "materials/tearing.h"
#include "math/samples.h"

namespace dollop::inline DOLLOP_ISA {

template <class M, class Scalar>
struct ModelCase {
  using Model = M;
  using S = Scalar;
  using Law = typename M::template Law<S>;
  using StepLaw = StepLawOf<M, S>;
  template <class R>
  using State = typename M::template State<R>;
};

// a model that tears, with the functions that the tests need
template <class M>
struct Torn : Tearing<M> {
  Moduli moduli() const { return this->model.moduli(); }
};
template <class Model>
constexpr bool is_torn = requires(const Model& m) {
  m.rule;
};

template <class List>
struct CasesOf;
template <class... M>
struct CasesOf<std::tuple<M...>> {
  using Both = testing::Types<ModelCase<M, float>..., ModelCase<M, double>...>;
  using Double = testing::Types<ModelCase<M, double>...>;
};

// neo_hookean_float; a minus would be taken for an exclusion by test filters
struct CaseName {
  template <class Case>
  static std::string GetName(int) {
    std::string name = Case::Model::name;
    std::replace(name.begin(), name.end(), '-', '_');
    return (is_torn<typename Case::Model> ? "tearing_" : "") + name +
           (std::is_same_v<typename Case::S, float> ? "_float" : "_double");
  }
};

// --- what kind of model it is -----------------------------------------------------------------------------

// `static constexpr bool rate_dependent = true` in a model: its stress changes in time at constant strain
template <class Model>
constexpr bool is_rate_dependent() {
  if constexpr (requires { Model::rate_dependent; }) return Model::rate_dependent;
  if constexpr (is_torn<Model>) return is_rate_dependent<decltype(Model::model)>();
  return false;
}
template <class Model>
constexpr bool has_yield = requires(const typename Model::template Law<double>& law,
                                    const typename Model::template State<double>& s) {
  law.yield_excess(s);
};
template <class Model>
constexpr bool is_elastic = !has_yield<Model> && !is_rate_dependent<Model>();

// a scale of stress: that of a strain of 1
inline double stiffness(const Moduli& m) { return 2 * m.shear + 3 * m.bulk(); }

// --- parameters -------------------------------------------------------------------------------------------

inline constexpr double test_dt = 1e-3;  // [s]

template <class Model, class Visit>
void each_parameter(Visit&& visit) {
  std::apply([&](const auto&... p) { (visit(p), ...); }, Model::parameters);
}

template <class Model>
std::string describe(const Model& model) {
  if constexpr (is_torn<Model>) {
    return describe(model.model) + describe(model.rule);
  } else {
    std::string text;
    if constexpr (requires { Model::name; }) text = Model::name;
    each_parameter<Model>(
        [&](const auto& p) { text += std::string(" ") + p.name + "=" + std::to_string(model.*(p.value)); });
    return text;
  }
}

// Young's modulus of a model, and moduli for a model in its own parameters; lambda is not negative
template <class Model>
double young_modulus_of(const Model& model) {
  const Moduli m = model.moduli();
  return m.shear * (3 * m.lambda + 2 * m.shear) / (m.lambda + m.shear);
}
template <class Model>
void set_elasticity(double young, double nu, Model& m) {
  if constexpr (requires { m.young_modulus; }) {
    m.young_modulus = young, m.poisson_ratio = nu;
  } else {
    const Moduli moduli = moduli_of(young, nu);
    m.shear_modulus = moduli.shear, m.lambda = std::max(moduli.lambda, 0.0);
  }
}
constexpr bool is_modulus(std::string_view name) {
  return name == "young_modulus" || name == "poisson_ratio" || name == "shear_modulus" || name == "lambda";
}

// a parameter that is not elastic, at a small, ordinary or large value; those in pascal follow the stiffness
template <class Model>
double varied(const Parameter<Model>& p, double normal, double young, int level) {
  if (p.words[0]) return level % (1 + int(p.range.high));
  const std::string unit = p.unit;
  const bool stress = unit.substr(0, 2) == "Pa";  // alone, or by a power of time
  const double scale = unit == "Pa" ? young : stress ? young * test_dt : 1;
  const double fraction[] = {0.05, 0.5, 0.95}, of_scale[] = {0, 0.1, 1}, of_normal[] = {0.01, 1, 100};
  const double stiffer = stress ? young / young_modulus_of(Model{}) : 1;
  constexpr double steps[] = {0.5, 5, 2000};
  if (unit == "s")
    return normal != 0 ? steps[level] * test_dt : 0;  // a relaxation time, by the length of the tests
  if (level == 1 && normal != 0) return normal * stiffer;
  if (p.range.low > -unbounded && p.range.high < unbounded)
    return p.range.low + fraction[level] * (p.range.high - p.range.low);
  if (normal == 0) return of_scale[level] * scale;
  return normal * of_normal[level] * stiffer;
}

// switches off features that break the properties tested for all models; most models have none
template <class Model>
void make_ordinary(Model&) {}
// Rate-dependent friction relaxes in time, and the limit of volume gain forgets volume: both are off. Some of the sets
// are dry sand, and some are without volume correction.
template <class Model>
requires requires(Model& m) { m.grain_size, m.max_volume_gain, m.cohesion, m.volume_correction; }
void make_ordinary(Model& m) {
  m.grain_size = m.max_volume_gain = 0;
  if (m.young_modulus < 1e4) m.cohesion = 0;
  m.volume_correction = m.young_modulus < 1e6;
}

// the published update of Oldroyd-B is not covariant, and is tested on its own
template <class Model>
requires requires(Model& m) { m.update, m.relaxation_time; }
void make_ordinary(Model& m) { m.update = 0; }

// relaxes late, within the tests or at once, where the branch that relaxes is weak, as stiff as the other or stiffer; yields
// soon, and some of the sets late or never
template <class Model>
requires requires(Model& m) { m.shear_modulus_neq, m.yield_stress; }
void make_ordinary(Model& m) {
  const double part = m.shear_modulus_neq / m.shear_modulus;
  const int kind = part < 0.2 ? 0 : part < 20 ? 1 : 2;
  constexpr double steps[] = {2000, 5, 0.5}, yield[] = {0.02, 0.1, 0.5};
  m.deviatoric_viscosity = 2 * m.shear_modulus_neq * steps[kind] * test_dt;
  m.volumetric_viscosity = 6 * m.bulk_neq() * steps[kind] * test_dt;
  const bool never = kind == 0 && m.lambda > 20 * m.shear_modulus;
  m.yield_stress = never ? std::numeric_limits<double>::infinity() : yield[kind] * m.shear_modulus;
}

// elastic moduli up to their extremes, soft and stiff; all else small, ordinary and large
template <class Model>
requires(!is_torn<Model>) std::vector<Model> parameter_sets() {
  std::vector<Model> sets;
  for (const double nu : {-0.5, 0.0, 0.3, 0.49})
    for (const double young : {1e3, 3.537e5, 1e9})
      for (int level = 0; level < 3; ++level) {
        Model m;
        each_parameter<Model>([&](const auto& p) {
          const std::string name = p.name;
          double& value = m.*(p.value);
          if (name != "density" && !is_modulus(name)) value = varied(p, value, young, level);
        });
        set_elasticity(young, nu, m);
        make_ordinary(m);
        sets.push_back(m);
      }
  return sets;
}

// all rules of tearing, for the sets of the model: tears at once, after a while or never; recovers soon, late or never
template <class Model>
requires is_torn<Model> std::vector<Model> parameter_sets() {
  std::vector<Model> sets;
  for (const auto& model : parameter_sets<decltype(Model::model)>()) {
    const int k = int(sets.size());
    Model m;
    m.model = model;
    m.rule.tear_threshold = std::array{0.02, 0.3, 1e3}[std::size_t(k / 3 % 3)];
    m.rule.recovery_time = std::array{0.0, 0.005, 0.3}[std::size_t(k % 3)];
    m.rule.weak_stress = k % 4 == 3;
    m.rule.weak_strain = std::array{0, 2, 0, 2, 1}[std::size_t(k % 5)];
    m.rule.weak_volume = k / 2 % 4;
    sets.push_back(m);
  }
  return sets;
}

// --- states as lists of numbers ---------------------------------------------------------------------------

// elastic strain, or what stands for it, also of a model that tears
template <class State>
auto& strain_of(State& s) {
  if constexpr (requires { s.base; })
    return strain_of(s.base);
  else if constexpr (requires { s.conformation; })
    return s.conformation;
  else
    return s.strain;
}

template <class State>
auto reals_of(State s) {
  using R = std::remove_cvref_t<decltype(strain_of(s).xx)>;
  std::vector<R> r;
  State::columns(s, [&](const char*, auto& column) { each_real(column, [&](R& x) { r.push_back(x); }); });
  return r;
}

// a state with the numbers at(0), at(1), ...
template <class State, class At>
State state_from(At&& at) {
  State s{};
  int k = 0;
  State::columns(s, [&](const char*, auto& column) { each_real(column, [&](auto& x) { x = at(k++); }); });
  return s;
}

// --- the law, compiled once for each scalar type ----------------------------------------------------------

template <class Law, class R, class State>
[[gnu::noinline]] void predict(const Law& law, const Mat3<R>& du, State& s) {
  law.predict(du, s);
}
template <class Law, class State>
[[gnu::noinline]] void return_map(const Law& law, State& s) {
  law.return_map(s);
}
template <class Law, class R, class State>
void advance(const Law& law, const Mat3<R>& du, State& s) {
  predict(law, du, s);
  return_map(law, s);
}
template <class Law, class State>
[[gnu::noinline]] auto energy_of(const Law& law, const State& s) {
  return law.energy(s);
}
template <class Law, class State>
[[gnu::noinline]] auto volume_of(const Law& law, const State& s) {
  return law.volume_ratio(s);
}
template <class Law, class State>
[[gnu::noinline]] auto deformation_of(const Law& law, const State& s) {
  return law.strain(s);
}
template <class Law, class State>
[[gnu::noinline]] auto stress_of(const Law& law, const State& s) {
  return law.stress(s);
}
template <class Law, class State>
[[gnu::noinline]] auto yield_excess_of(const Law& law, const State& s) {
  return law.yield_excess(s);
}
template <class Law, class R, class State>
[[gnu::noinline]] void rebuild(const Law& law, const R& j, State& s) {
  law.rebuild(j, s);
}

// --- matrices ---------------------------------------------------------------------------------------------

template <class S, class T>
Mat3<S> cast(const Mat3<T>& a) {
  return make_mat3<S>([&](int i, int j) { return S(a(i, j)); });
}
template <class S, class T>
SymMat3<S> cast(const SymMat3<T>& a) {
  return {S(a.xx), S(a.yy), S(a.zz), S(a.xy), S(a.xz), S(a.yz)};
}
template <class S>
double largest(const SymMat3<S>& a) {
  double r = 0;
  for (const S x : {a.xx, a.yy, a.zz, a.xy, a.xz, a.yz}) r = x == x ? std::max(r, std::fabs(double(x))) : NAN;
  return r;
}
template <class S>
double distance(const SymMat3<S>& a, const SymMat3<double>& b) {
  return largest(cast<double>(a) - b);
}
inline Mat3<double> inverse(const Mat3<double>& a) {
  const auto cofactor = [&](int i, int j) {
    const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
    return a(p, r) * a(q, s) - a(p, s) * a(q, r);
  };
  return (1 / det(a)) * make_mat3<double>([&](int i, int j) { return cofactor(j, i); });
}
// Q A Q^T
template <class S>
SymMat3<double> rotated(const Mat3<double>& q, const SymMat3<S>& a) {
  return rotate_into(transpose(q), cast<double>(a));
}

// --- results ----------------------------------------------------------------------------------------------

// the worst of many errors and where it occurred; NaN is the worst of all
struct Worst {
  double value = 0;
  std::string where;
  template <class Model>
  void see(double error, const Model& model) {
    if (error <= value || value != value) return;
    value = error;
    where = describe(model);
  }
};
// fails beyond the tolerance; records which part of it was used
inline void expect_within(const char* what, const Worst& worst, double tolerance) {
  EXPECT_LE(worst.value, tolerance) << what << ": " << worst.where;
  testing::Test::RecordProperty(what, std::to_string(worst.value / tolerance));
}

}  // namespace dollop::inline DOLLOP_ISA
