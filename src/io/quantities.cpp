#include "io/quantities.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/parallel.h"
#include "io/frame_layout.h"

namespace dollop {
namespace {

// Computes one number from the components of one particle.
using Formula = std::function<float(const float*)>;

struct Quantity {
  std::string name;
  const Attribute* attribute;  // null: the position
  Formula formula;
};

float length(const float* a, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * a[k];
  return std::sqrt(sum);
}

// a third of the trace, with the sign that makes compression positive
float pressure(const float* s) { return -(s[0] + s[1] + s[2]) / 3; }

// sqrt(3/2 dev : dev) of a symmetric tensor xx yy zz xy xz yz
float equivalent_stress(const float* s) {
  const float p = pressure(s);
  const float x = s[0] + p, y = s[1] + p, z = s[2] + p;
  return std::sqrt(1.5f * (x * x + y * y + z * z + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])));
}

void add_components(const std::string& name, const Attribute* attribute, int components,
                    std::vector<Quantity>& list) {
  const std::vector<std::string> names = component_names(components);
  for (int k = 0; k < components; ++k)
    list.push_back({name + "." + names[std::size_t(k)], attribute, [k](const float* a) { return a[k]; }});
}

void add_attribute(const Attribute& a, std::vector<Quantity>& list) {
  const int n = a.components;
  if (n == 1) {
    list.push_back({a.name, &a, [](const float* v) { return v[0]; }});
    return;
  }
  if (a.name == "stress" && n == 6) {
    list.push_back({"pressure", &a, pressure});
    list.push_back({"equivalent stress", &a, equivalent_stress});
  } else {
    list.push_back(
        {a.name == "velocity" ? "speed" : a.name, &a, [n](const float* v) { return length(v, n); }});
  }
  add_components(a.name, &a, n, list);
}

bool is_complete(const ParticleFrame& frame, const Attribute& a) {
  return a.components >= 1 && 3 * a.values.size() == frame.position.size() * std::size_t(a.components);
}

std::vector<Quantity> quantities(const ParticleFrame& frame) {
  std::vector<Quantity> list;
  for (const Attribute& a : frame.attributes)
    if (is_complete(frame, a)) add_attribute(a, list);
  add_components("position", nullptr, 3, list);
  return list;
}

}  // namespace

std::vector<std::string> quantity_names(const ParticleFrame& frame) {
  std::vector<std::string> names;
  for (const Quantity& q : quantities(frame)) names.push_back(q.name);
  return names;
}

namespace {

// the attribute itself, whose length is meant where it has several components
std::optional<Quantity> whole_attribute(const ParticleFrame& frame, std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  for (const Attribute& a : frame.attributes)
    if (a.name == name && is_complete(frame, a))
      return Quantity{name, &a, [n = a.components](const float* v) { return n == 1 ? v[0] : length(v, n); }};
  return {};
}

std::vector<float> values(const ParticleFrame& frame, const Quantity& q) {
  const float* from = q.attribute ? q.attribute->values.data() : frame.position.data();
  const std::size_t stride = q.attribute ? std::size_t(q.attribute->components) : 3;
  std::vector<float> result(frame.position.size() / 3);
  parallel_for(result.size(), 8192, [&](std::size_t i) { result[i] = q.formula(from + i * stride); });
  return result;
}

}  // namespace

std::optional<std::vector<float>> quantity(const ParticleFrame& frame, const std::string& name) {
  for (const Quantity& q : quantities(frame))
    if (q.name == name) return values(frame, q);
  if (const auto q = whole_attribute(frame, name)) return values(frame, *q);
  return {};
}

std::vector<std::pair<std::string, float>> quantities_of(const ParticleFrame& frame, std::size_t particle) {
  std::vector<std::pair<std::string, float>> found;
  for (const Quantity& q : quantities(frame))
    if (q.attribute)
      found.emplace_back(
          q.name, q.formula(q.attribute->values.data() + particle * std::size_t(q.attribute->components)));
  return found;
}

}  // namespace dollop
