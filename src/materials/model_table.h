// One entry for each model and precision, plain or with tearing round it.
#pragma once

#include <utility>

#include "materials/material_list.h"
#include "materials/tearing.h"

namespace dollop::inline DOLLOP_ISA {

// Loops<Model, S>::table is what there is for a model; null for tearing where the model cannot.
template <template <class, class> class Loops, class S>
struct ModelTable {
  using Entry = std::remove_cvref_t<decltype(Loops<std::tuple_element_t<0, MaterialList>, S>::table)>;

  template <class Model>
  static constexpr const Entry* tearing() {
    if constexpr (CanTear<Model>) return &Loops<Tearing<Model>, S>::table;
    return nullptr;
  }
  template <std::size_t... I>
  static const Entry* find(int index, bool tears, std::index_sequence<I...>) {
    static constexpr const Entry* plain[] = {&Loops<std::tuple_element_t<I, MaterialList>, S>::table...};
    static constexpr const Entry* torn[] = {tearing<std::tuple_element_t<I, MaterialList>>()...};
    return (tears ? torn : plain)[index];
  }
  static const Entry* find(int index, bool tears) {
    return find(index, tears, std::make_index_sequence<std::size_t(material_count)>{});
  }
};

}  // namespace dollop::inline DOLLOP_ISA
