// Shared by the solver tests: short definitions of scenes, and access to every particle of a run.
#pragma once

#include <dollop/dollop.h>

#include <cmath>
#include <string>
#include <vector>

#include "math/bspline.h"
#include "solvers/frame/typed_simulation.h"

namespace dollop::tests {

#ifdef DOLLOP_DEBUG
inline constexpr bool sanitized = true;  // loops are fifty times slower, so tests run at smaller sizes
#else
inline constexpr bool sanitized = false;
#endif

inline constexpr Kernel all_kernels[] = {Kernel::quadratic, Kernel::cubic};
inline constexpr Transfer all_transfers[] = {Transfer::pic, Transfer::flip, Transfer::apic, Transfer::rpic,
                                             Transfer::fading};
inline constexpr ForceForm all_forces[] = {ForceForm::mls, ForceForm::gradient};

inline std::string name_of(Kernel k) { return k == Kernel::cubic ? "cubic" : "quadratic"; }
inline std::string name_of(ForceForm f) { return f == ForceForm::mls ? "mls" : "gradient"; }
inline std::string name_of(Transfer t) {
  constexpr const char* names[] = {"pic", "flip", "apic", "rpic", "fading"};
  return names[int(t)];
}

template <class S>
inline constexpr Precision precision_of = sizeof(S) == 8 ? Precision::double_precision
                                                         : Precision::single_precision;

// a value for each precision
template <class S>
constexpr double either(double in_float, double in_double) {
  return sizeof(S) == 8 ? in_double : in_float;
}

inline Material elastic(const std::string& name, double density, double young, double poisson,
                        const std::string& model = "neo-hookean") {
  return {name, model, {{"density", density}, {"young_modulus", young}, {"poisson_ratio", poisson}}};
}

inline double dot(const Double3& a, const Double3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double length(const Double3& a) { return std::sqrt(dot(a, a)); }
inline Double3 minus(const Double3& a, const Double3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Double3 plus(const Double3& a, const Double3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Double3 times(double s, const Double3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Double3 cross(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// calls visit(group, i, x) for every particle of a run
template <class S, class Visit>
void each_particle(TypedSimulation<S>& run, Visit&& visit) {
  auto& store = run.state().particles;
  if (run.state().needs_sort) store.sort();
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    store.each(int(g), [&](std::size_t block, std::size_t i) {
      visit(store.groups()[g], i, store.position(int(g), block, i));
    });
}

// Sets an initial velocity v(x), and its gradient by rows, which the public interface cannot give to a body.
template <class S, class Velocity, class Gradient>
void set_velocity(TypedSimulation<S>& run, Velocity&& velocity, Gradient&& gradient) {
  double fastest = 0;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
    const Double3 v = velocity(x);
    const std::array<Double3, 3> grad = gradient(x);
    for (std::size_t d = 0; d < 3; ++d) group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v[d]);
    if (group.affine_array() >= 0)
      for (std::size_t k = 0; k < 9; ++k)
        group.reals(group.affine_array() + int(k))[i] = S(grad[k / 3][k % 3]);
    fastest = std::max(fastest, length(v));
  });
  run.state().max_speed = fastest;
}

// the velocity v0 + grad x
template <class S>
void set_linear_velocity(TypedSimulation<S>& run, const Double3& v0, const std::array<Double3, 3>& grad) {
  set_velocity(
      run,
      [&](const Double3& x) {
        return plus(v0, {dot(grad[0], x), dot(grad[1], x), dot(grad[2], x)});
      },
      [&](const Double3&) { return grad; });
}

// sets the same strain e = F F^T - 1 for all particles: xx yy zz xy xz yz; for models that store no stress
template <class S>
void set_strain(TypedSimulation<S>& run, const std::array<double, 6>& e) {
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3&) {
    for (int k = 0; k < 6; ++k) group.reals(group.state_arrays().begin + k)[i] = S(e[std::size_t(k)]);
  });
}

// sum of m |v|, the scale of rounding errors of the momentum
template <class S>
double momentum_scale(TypedSimulation<S>& run) {
  double sum = 0;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3&) {
    const auto v = [&](int d) { return double(group.reals(ParticleGroup<S>::velocity + d)[i]); };
    sum += double(group.reals(ParticleGroup<S>::mass)[i]) * length({v(0), v(1), v(2)});
  });
  return sum;
}

// energy of the affine velocities, m D |C|^2 / 2, by a sum of its own
template <class S>
double affine_energy(TypedSimulation<S>& run) {
  const double h = run.scene().settings.cell_size;
  const double inertia = h * h / (run.scene().settings.kernel == Kernel::cubic ? 3 : 4);
  double sum = 0;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3&) {
    if (group.affine_array() < 0) return;
    double c2 = 0;
    for (int k = 0; k < 9; ++k) c2 += std::pow(double(group.reals(group.affine_array() + k)[i]), 2);
    sum += 0.5 * double(group.reals(ParticleGroup<S>::mass)[i]) * inertia * c2;
  });
  return sum;
}

}  // namespace dollop::tests
