// Every constitutive model. To add one, include its header and add its name here; everything else follows.
#pragma once

#include <tuple>

#include "materials/drucker_prager.h"
#include "materials/hencky.h"
#include "materials/herschel_bulkley.h"
#include "materials/neo_hookean.h"
#include "materials/oldroyd_b.h"
#include "materials/viscoelastic.h"
#include "materials/von_mises.h"

namespace dollop::inline DOLLOP_ISA {

using MaterialList =
    std::tuple<NeoHookean, Hencky, VonMises, HerschelBulkley, DruckerPrager, OldroydB, Viscoelastic>;

inline constexpr int material_count = int(std::tuple_size_v<MaterialList>);

}  // namespace dollop::inline DOLLOP_ISA
