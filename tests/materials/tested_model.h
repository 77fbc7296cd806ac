// The model that the tests of a unit are for, DOLLOP_TESTED_MODEL, as lists of cases.
#pragma once

#include <tuple>

#include "model_cases.h"

namespace dollop::inline DOLLOP_ISA {

template <class M>
struct WholeOf : CasesOf<std::tuple<M>> {};
template <CanTear M>
struct WholeOf<M> : CasesOf<std::tuple<M, Torn<M>>> {};

using ModelCases = CasesOf<std::tuple<DOLLOP_TESTED_MODEL>>::Both;
using DoubleCases = CasesOf<std::tuple<DOLLOP_TESTED_MODEL>>::Double;
using WholeCases = WholeOf<DOLLOP_TESTED_MODEL>::Both;  // the same with the tearing model too

}  // namespace dollop::inline DOLLOP_ISA
