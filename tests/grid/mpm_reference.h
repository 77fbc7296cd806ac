// A reference implementation of one step of the material point method as it is printed in papers: sums over all pairs
// of particles and nodes, in double, nodes in a map. It is slow and plain, to compare the loops of src/grid with.
#pragma once

#include <dollop/shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grid/kernels.h"

namespace dollop::reference {

using Node = std::array<int, 3>;
using Matrix = std::array<double, 9>;  // row-major

struct Method {
  TransferChoice choice{};
  double residual_kept = 0.95;  // of FLIP and fading
  double symmetric_kept = 1;    // 1 - damping of RPIC
  bool advect_particle_velocity = true;
  double carry_limit = 16;  // of fading
  bool affine() const { return carries_affine_velocity(choice.transfer); }
  bool keeps_own() const { return choice.transfer == Transfer::flip || choice.transfer == Transfer::fading; }
};

struct Law {
  std::string model;  // neo-hookean or hencky
  double mu, lambda;  // [Pa]
};

struct Particle {
  std::uint64_t id;
  const Law* law;
  Double3 x;  // [cells]
  Double3 v;
  Matrix c;
  double mass, volume;
  std::vector<double> state;  // strain e = F F^T - 1, then for hencky the Kirchhoff stress; xx yy zz xy xz yz
};

struct Setting {
  Method method;
  double h, dt;
  Double3 gravity;
  double mass_floor;
  Node period;  // in nodes; 0: none
};

struct NodeSums {
  double mass = 0;
  Double3 momentum{}, impulse{};
};
using Field = std::map<Node, Double3>;

inline double kernel(Kernel k, double x) {
  const double a = std::fabs(x);
  if (k == Kernel::cubic)
    return a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
}
inline double kernel_slope(Kernel k, double x) {
  const double a = std::fabs(x), sign = x < 0 ? -1 : 1;
  if (k == Kernel::cubic) return sign * (a < 1 ? 1.5 * a * a - 2 * a : a < 2 ? -(2 - a) * (2 - a) / 2 : 0);
  return sign * (a < 0.5 ? -2 * a : a < 1.5 ? a - 1.5 : 0);
}
inline double inverse_inertia(const Setting& s) {  // of APIC and MLS [1/m^2]
  return (s.method.choice.kernel == Kernel::cubic ? 3 : 4) / (s.h * s.h);
}

// calls visit(node, w, x_i - x_p, g) for the nodes around a particle; g: the discrete gradient, by MLS or that of w
template <class Visit>
void each_node(const Setting& s, const Double3& x, Visit&& visit) {
  const Kernel k = s.method.choice.kernel;
  Node first, i;
  for (std::size_t d = 0; d < 3; ++d) first[d] = int(std::floor(x[d])) - 2;
  for (i[0] = first[0]; i[0] < first[0] + 6; ++i[0])
    for (i[1] = first[1]; i[1] < first[1] + 6; ++i[1])
      for (i[2] = first[2]; i[2] < first[2] + 6; ++i[2]) {
        Double3 r, n, slope;  // n, slope: the one-dimensional kernels at the particle
        Node wrapped = i;
        for (std::size_t d = 0; d < 3; ++d) {
          r[d] = s.h * (i[d] - x[d]);
          n[d] = kernel(k, x[d] - i[d]);
          slope[d] = kernel_slope(k, x[d] - i[d]) / s.h;
          if (s.period[d]) wrapped[d] = ((i[d] % s.period[d]) + s.period[d]) % s.period[d];
        }
        const double w = n[0] * n[1] * n[2];
        if (w == 0) continue;
        Double3 g{slope[0] * n[1] * n[2], n[0] * slope[1] * n[2], n[0] * n[1] * slope[2]};
        if (s.method.choice.forces == ForceForm::mls)
          for (std::size_t d = 0; d < 3; ++d) g[d] = inverse_inertia(s) * w * r[d];
        visit(wrapped, w, r, g);
      }
}

// --- materials ---------------------------------------------------------------------------------------------

inline Matrix full(const double* s) { return {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]}; }
inline std::array<double, 6> packed(const Matrix& m) { return {m[0], m[4], m[8], m[1], m[2], m[5]}; }
inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}
inline Matrix transposed(const Matrix& a) { return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}; }
inline double determinant(const Matrix& a) {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

// logarithm of a symmetric positive matrix, by Jacobi rotations
inline Matrix log_symmetric(Matrix a) {
  Matrix q{1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int sweep = 0; sweep < 30; ++sweep)
    for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
      if (a[3 * i + j] == 0) continue;
      const double angle = 0.5 * std::atan2(2 * a[3 * i + j], a[4 * j] - a[4 * i]);
      Matrix r{1, 0, 0, 0, 1, 0, 0, 0, 1};
      r[4 * i] = r[4 * j] = std::cos(angle);
      r[3 * i + j] = std::sin(angle);
      r[3 * j + i] = -std::sin(angle);
      a = multiply(transposed(r), multiply(a, r));
      q = multiply(q, r);
    }
  const Matrix log{std::log(a[0]), 0, 0, 0, std::log(a[4]), 0, 0, 0, std::log(a[8])};
  return multiply(q, multiply(log, transposed(q)));
}

inline Matrix stress(const Particle& p) {
  if (p.law->model == "hencky") return full(&p.state[6]);
  Matrix e = full(p.state.data()), b = e, tau;
  for (const std::size_t k : {0, 4, 8}) b[k] += 1;
  const double log_j = 0.5 * std::log(determinant(b));
  for (std::size_t k = 0; k < 9; ++k) tau[k] = p.law->mu * e[k] + (k % 4 == 0 ? p.law->lambda * log_j : 0);
  return tau;
}

// F <- (1 + du) F, and the stress that belongs to it
inline void strain(Particle& p, const Matrix& du) {
  Matrix b = full(p.state.data()), f = du;
  for (const std::size_t k : {0, 4, 8}) b[k] += 1, f[k] += 1;
  b = multiply(f, multiply(b, transposed(f)));
  if (p.law->model == "hencky") {
    Matrix tau = log_symmetric(b);
    const double trace = 0.5 * (tau[0] + tau[4] + tau[8]);
    for (std::size_t k = 0; k < 9; ++k)
      tau[k] = p.law->mu * tau[k] + (k % 4 == 0 ? p.law->lambda * trace : 0);
    std::copy_n(packed(tau).begin(), 6, &p.state[6]);
  }
  for (const std::size_t k : {0, 4, 8}) b[k] -= 1;
  std::copy_n(packed(b).begin(), 6, p.state.begin());
}

// --- the step ----------------------------------------------------------------------------------------------

inline std::map<Node, NodeSums> particles_to_grid(const Setting& s, const std::vector<Particle>& particles) {
  std::map<Node, NodeSums> grid;
  for (const Particle& p : particles) {
    const Matrix tau = stress(p);
    each_node(s, p.x, [&](const Node& i, double w, const Double3& r, const Double3& g) {
      NodeSums& node = grid[i];
      node.mass += w * p.mass;
      for (std::size_t a = 0; a < 3; ++a) {
        double v = p.v[a], force = 0;
        for (std::size_t b = 0; b < 3; ++b) {
          if (s.method.affine()) v += p.c[3 * a + b] * r[b];
          force -= p.volume * tau[3 * a + b] * g[b];
        }
        node.momentum[a] += w * p.mass * v;
        node.impulse[a] += s.dt * force;
      }
    });
  }
  return grid;
}

struct Velocities {
  Field before, after;  // before and after forces and gravity
};
inline Velocities velocities(const Setting& s, const std::map<Node, NodeSums>& grid) {
  Velocities v;
  for (const auto& [i, node] : grid)
    for (std::size_t a = 0; a < 3; ++a) {
      const bool full_node = node.mass > s.mass_floor;
      v.before[i][a] = full_node ? node.momentum[a] / node.mass : 0;
      v.after[i][a] = full_node ? (node.momentum[a] + node.impulse[a]) / node.mass + s.dt * s.gravity[a] : 0;
    }
  return v;
}

inline Matrix plus(const Matrix& a, double factor, const Matrix& b) {
  Matrix c;
  for (std::size_t k = 0; k < 9; ++k) c[k] = a[k] + factor * b[k];
  return c;
}

// The affine velocity of the fading transfer after a step: `c` before it, `change` that of v - r v^old on the grid, and
// `grad` that with which the particle is strained.                                                       (FADE.3-4)
inline Matrix faded_affine(const Matrix& c, const Matrix& change, const Matrix& grad, double kept,
                           double carry_limit, double dt) {
  const Matrix carried = multiply(c, grad), stretched = plus(carried, 1, transposed(carried));
  double norm = 0;
  for (const double g : grad) norm += dt * dt * g * g;
  return plus(plus(change, kept, c), -0.5 * dt * kept / (1 + carry_limit * norm), stretched);
}

// strain_field: the velocities that move and strain the particles; v.after unless two velocities are gathered
inline void grid_to_particles(const Setting& s, const Velocities& v, const Field& strain_field,
                              std::vector<Particle>& particles) {
  const auto at = [](const Field& field, const Node& i) {
    const auto found = field.find(i);
    return found == field.end() ? Double3{} : found->second;
  };
  for (Particle& p : particles) {
    Double3 old{}, fresh{}, moving{};
    Matrix c{}, c_old{}, du{};
    each_node(s, p.x, [&](const Node& i, double w, const Double3& r, const Double3& g) {
      const Double3 before = at(v.before, i), after = at(v.after, i), straining = at(strain_field, i);
      for (std::size_t a = 0; a < 3; ++a) {
        old[a] += w * before[a], fresh[a] += w * after[a], moving[a] += w * straining[a];
        for (std::size_t b = 0; b < 3; ++b) {
          c[3 * a + b] += inverse_inertia(s) * w * after[a] * r[b];
          c_old[3 * a + b] += inverse_inertia(s) * w * before[a] * r[b];
          du[3 * a + b] += s.dt * straining[a] * g[b];
        }
      }
    });
    const double ratio = s.method.keeps_own() ? s.method.residual_kept : 0;
    for (std::size_t a = 0; a < 3; ++a) {
      p.v[a] = (1 - ratio) * fresh[a] + ratio * (p.v[a] + fresh[a] - old[a]);
      p.x[a] += s.dt / s.h * (s.method.keeps_own() && s.method.advect_particle_velocity ? p.v[a] : moving[a]);
    }
    if (s.method.choice.transfer == Transfer::fading) {
      Matrix grad = du;
      for (double& x : grad) x /= s.dt;
      p.c = faded_affine(p.c, plus(c, -ratio, c_old), grad, ratio, s.method.carry_limit, s.dt);
      strain(p, du);
      continue;
    }
    const Matrix ct = transposed(c);
    for (std::size_t k = 0; k < 9; ++k)
      p.c[k] = s.method.affine() ? 0.5 * (c[k] - ct[k]) + s.method.symmetric_kept * 0.5 * (c[k] + ct[k]) : 0;
    strain(p, du);
  }
}

}  // namespace dollop::reference
