// Every model that can tear, with tearing.
#pragma once

#include <tuple>
#include <utility>

#include "materials/material_list.h"
#include "model_cases.h"

namespace dollop::inline DOLLOP_ISA {

template <class M>
struct TornOrNone {
  using type = std::tuple<>;
};
template <CanTear M>
struct TornOrNone<M> {
  using type = std::tuple<Torn<M>>;
};
template <class List>
struct TornOf;
template <class... M>
struct TornOf<std::tuple<M...>> {
  using type = decltype(std::tuple_cat(std::declval<typename TornOrNone<M>::type>()...));
};
using TornList = TornOf<MaterialList>::type;

}  // namespace dollop::inline DOLLOP_ISA
