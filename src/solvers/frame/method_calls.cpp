#include "solvers/frame/method_calls.h"

#include <type_traits>
#include <utility>

#include "core/assert.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

template <class Listed>
Listed make(const Settings& settings) {
  Listed method;
  if constexpr (requires { method.options; }) {
    const auto values = resolve_settings(*find_method(Listed::name), settings);
    method.options = with_parameters<typename Listed::Options>(values.data());
  }
  return method;
}

template <class S, std::size_t... I>
Method<S> method_named(const Settings& settings, std::index_sequence<I...>) {
  Method<S> method;
  const auto choose = [&]<class Listed>(std::type_identity<Listed>) {
    if (settings.solver != Listed::name) return false;
    method = make<Listed>(settings);
    return true;
  };
  const bool found = (choose(std::type_identity<std::variant_alternative_t<I, Method<S>>>{}) || ...);
  DOLLOP_ASSERT(found);  // the scene was checked
  return method;
}

}  // namespace

template <class S>
Method<S> method_of(const Settings& settings) {
  return method_named<S>(settings, std::make_index_sequence<std::variant_size_v<Method<S>>>{});
}

template Method<float> method_of(const Settings&);
template Method<double> method_of(const Settings&);

}  // namespace dollop
