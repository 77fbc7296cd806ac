#include "view/encode.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "io/frame_layout.h"
#include "io/quantities.h"
#include "view/packet.h"

namespace dollop {
namespace {

template <class T>
std::vector<T> shuffled(const std::vector<T>& values, std::size_t stride, std::size_t components = 1) {
  const std::size_t n = values.size() / components;
  std::vector<T> result(values.size());
  for (std::size_t s = 0, i = 0; s < n; ++s, i += i + stride < n ? stride : stride - n)
    for (std::size_t k = 0; k < components; ++k) result[s * components + k] = values[i * components + k];
  return result;
}

// The radius of a sphere with the mean current volume of the particles, for each material; 0: unknown.
std::vector<double> mean_radii(const ParticleFrame& frame, std::size_t materials) {
  std::vector<double> volume(materials, 0), count(materials, 0), radii;
  const std::vector<float> volumes = present_volumes(frame);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const auto m = std::size_t(frame.material[i]);
    const double now = volumes[i];
    if (m >= materials || !std::isfinite(now)) continue;
    volume[m] += now;
    count[m] += 1;
  }
  for (std::size_t m = 0; m < materials; ++m)
    radii.push_back(count[m] > 0 ? std::cbrt(0.75 * volume[m] / count[m] / std::numbers::pi) : 0);
  return radii;
}

std::vector<std::uint8_t> to_bytes(const std::vector<std::int32_t>& materials) {
  std::vector<std::uint8_t> result(materials.size());
  for (std::size_t i = 0; i < materials.size(); ++i)
    result[i] = std::uint8_t(std::clamp(materials[i], 0, 255));
  return result;
}

void add_points(std::span<const float> points, std::size_t stride, Packet& packet) {
  const QuantisedPoints q = quantise_points(points);
  packet.head.raw("low", json_numbers(q.low)).raw("high", json_numbers(q.high));
  packet.add("positions", stride > 0 ? shuffled(q.values, stride, 3) : q.values, 3);
}

void add_values(const std::vector<float>& values, const std::string& name, std::size_t stride,
                Packet& packet) {
  const Quantised q = quantise(values);
  packet.head.raw("quantity", JsonObject()
                                  .text("name", name)
                                  .number("low", q.low)
                                  .number("high", q.high)
                                  .number("usual_low", q.usual_low)
                                  .number("usual_high", q.usual_high)
                                  .str());
  packet.add("values", stride > 0 ? shuffled(q.values, stride) : q.values, 1);
}

}  // namespace

std::size_t shuffle_stride(std::size_t n) {
  if (n < 3) return 1;
  auto stride = std::size_t(double(n) * (std::numbers::phi - 1));
  while (std::gcd(stride, n) != 1) --stride;
  return stride;
}

std::string encode_particles(const ParticleFrame& frame, const ParticleRequest& request) {
  const std::size_t n = frame.material.size(), stride = shuffle_stride(n);
  Packet packet;
  packet.head.number("frame", request.frame).number("time", frame.time).number("count", double(n));
  packet.head.number("stride", double(stride));
  packet.head.raw("radii", json_numbers(mean_radii(frame, request.materials)));
  packet.head.raw("colliders", request.colliders);
  add_points(frame.position, stride, packet);
  packet.add("materials", shuffled(to_bytes(frame.material), stride), 1);
  if (!request.quantity.empty())
    if (const auto values = quantity(frame, request.quantity))
      add_values(*values, request.quantity, stride, packet);
  if (request.ids) {
    std::vector<std::uint32_t> halves(2 * n);  // low and high 32 bits of each id
    for (std::size_t i = 0; i < n && i < frame.id.size(); ++i) {
      halves[2 * i] = std::uint32_t(frame.id[i]);
      halves[2 * i + 1] = std::uint32_t(frame.id[i] >> 32);
    }
    packet.add("ids", shuffled(halves, stride, 2), 2);
  }
  return packet.bytes();
}

std::string encode_surface(const SurfaceMesh& mesh, int frame, const std::string& quantity) {
  const std::size_t n = mesh.positions.size();
  Packet packet;
  packet.head.number("frame", frame).number("time", mesh.time).number("count", double(n));
  packet.head.number("triangles", double(mesh.triangles.size()));
  std::vector<float> points;
  points.reserve(3 * n);
  for (const Vec3<float>& x : mesh.positions) points.insert(points.end(), {x.x, x.y, x.z});
  add_points(points, 0, packet);
  std::vector<std::int8_t> normals;
  normals.reserve(4 * n);  // a fourth component aligns vertices to four bytes
  for (const Vec3<float>& x : mesh.normals)
    for (const float a : {x.x, x.y, x.z, 0.0f})
      normals.push_back(std::int8_t(std::isfinite(a) ? std::lround(127 * std::clamp(a, -1.0f, 1.0f)) : 0));
  packet.add("normals", normals, 4);
  packet.add("materials", to_bytes(mesh.material), 1);
  if (!quantity.empty() && mesh.values.size() == n) add_values(mesh.values, quantity, 0, packet);
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  packet.add("triangles", corners, 3);
  return packet.bytes();
}

}  // namespace dollop
