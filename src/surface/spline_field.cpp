#include "surface/spline_field.h"

namespace dollop {
namespace {

struct Stencil {
  int base[3];
  float d[3];
};

Stencil stencil_of(const Vec3<float>& g) {
  Stencil stencil;
  for (int a = 0; a < 3; ++a) {
    const float nearest = std::floor(g[a] + 0.5f);
    stencil.base[a] = int(nearest) - 1 - SplineTile::low;
    stencil.d[a] = g[a] - nearest;
  }
  return stencil;
}

float sum_of_products(const SplineTile& tile, const Stencil& stencil, const SplineWeights& x,
                      const SplineWeights& y, const SplineWeights& z) {
  constexpr int n = SplineTile::side;
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const float* row =
          tile.values + ((stencil.base[0] + i) * n + stencil.base[1] + j) * n + stencil.base[2];
      sum += x.w[i] * y.w[j] * (row[0] * z.w[0] + row[1] * z.w[1] + row[2] * z.w[2]);
    }
  return sum;
}

// out[r][m][q] = sum over taps t of weight * in[r][base + t][q], for `rows` slices of `length` by `stride` numbers
template <class Taps>
void resample(const float* in, int rows, int length, int stride, const std::vector<Taps>& taps, float* out) {
  for (int r = 0; r < rows; ++r)
    for (const Taps& t : taps) {
      const float* from = in + (r * length + t.base) * stride;
      const float w0 = t.weights.w[0], w1 = t.weights.w[1], w2 = t.weights.w[2];
      for (int q = 0; q < stride; ++q)
        out[q] = w0 * from[q] + w1 * from[q + stride] + w2 * from[q + 2 * stride];
      out += stride;
    }
}

}  // namespace

float SplineTile::at(const Vec3<float>& g) const {
  const Stencil f = stencil_of(g);
  return sum_of_products(*this, f, spline_weights(f.d[0]), spline_weights(f.d[1]), spline_weights(f.d[2]));
}

Vec3<float> SplineTile::gradient(const Vec3<float>& g) const {
  const Stencil f = stencil_of(g);
  const SplineWeights x = spline_weights(f.d[0]), y = spline_weights(f.d[1]), z = spline_weights(f.d[2]);
  return {sum_of_products(*this, f, spline_derivatives(f.d[0]), y, z),
          sum_of_products(*this, f, x, spline_derivatives(f.d[1]), z),
          sum_of_products(*this, f, x, y, spline_derivatives(f.d[2]))};
}

void load_tile(const SplineField& field, std::size_t slot, SplineTile& tile) {
  load_nodes(field.blocks, field.coefficients.data(), slot, SplineTile::low, SplineTile::high, tile.values);
}

FineSamples::FineSamples(int refine) : refine_(refine), side_(refine * voxels_on_edge + 3) {
  constexpr int n = SplineTile::side;
  for (int m = -1; m <= refine * voxels_on_edge + 1; ++m) {
    // the nearest node floor(m / refine + 1/2) in integers, so that neighbouring blocks agree bitwise
    const int doubled = 2 * m + refine, width = 2 * refine;
    const int nearest = doubled >= 0 ? doubled / width : -((-doubled + width - 1) / width);
    taps_.push_back(
        {nearest - 1 - SplineTile::low, spline_weights(float(m - nearest * refine) / float(refine))});
  }
  along_x_.resize(std::size_t(side_ * n * n));
  along_xy_.resize(std::size_t(side_ * side_ * n));
  values_.resize(std::size_t(side_) * side_ * side_);
}

void FineSamples::load(const SplineTile& tile) {
  constexpr int n = SplineTile::side;
  resample(tile.values, 1, n, n * n, taps_, along_x_.data());
  resample(along_x_.data(), side_, n, n, taps_, along_xy_.data());
  resample(along_xy_.data(), side_ * side_, n, 1, taps_, values_.data());
}

}  // namespace dollop
