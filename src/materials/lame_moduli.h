// Young's modulus and Poisson's ratio for models whose own parameters are Lame's moduli.
#pragma once

#include "materials/parameter.h"

namespace dollop::inline DOLLOP_ISA {

inline void lame_of_young(const double* others, double* own) {
  const Moduli m = moduli_of(others[0], others[1]);
  own[0] = m.shear, own[1] = m.lambda;
}
inline void young_of_lame(const double* own, double* others) {
  const double mu = own[0], lambda = own[1];
  others[0] = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  others[1] = lambda / (2 * (lambda + mu));
}

// Young's modulus and Poisson's ratio instead of shear_modulus and lambda                              (OB.4)
inline constexpr Alternative young_and_poisson{
    {"shear_modulus", "lambda", nullptr},
    {{{"young_modulus", "Pa", positive, "with poisson_ratio instead of shear_modulus and lambda"},
      {"poisson_ratio",
       "",
       {0, 0.5, false, true},
       "with young_modulus instead of shear_modulus and lambda"}}},
    lame_of_young,
    young_of_lame};

// the same of the branch that is not in equilibrium
inline constexpr Alternative young_and_poisson_neq{
    {"shear_modulus_neq", "lambda_neq", nullptr},
    {{{"young_modulus_neq", "Pa", positive,
       "with poisson_ratio_neq instead of shear_modulus_neq and lambda_neq"},
      {"poisson_ratio_neq",
       "",
       {0, 0.5, false, true},
       "with young_modulus_neq instead of shear_modulus_neq and lambda_neq"}}},
    lame_of_young,
    young_of_lame};

}  // namespace dollop::inline DOLLOP_ISA
