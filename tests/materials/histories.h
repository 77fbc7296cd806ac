// Random strain histories: increments of every size, rotations, changes of volume, reversals, near rest.
#pragma once

#include <algorithm>
#include <cmath>

#include "model_cases.h"

namespace dollop::inline DOLLOP_ISA {

// Q - 1 for a rotation by `angle` about a random axis, small angles to full precision
inline Mat3<double> sample_turn(double angle, Random& random) {
  const Mat3<double> frame = random.rotation();
  const double s = std::sin(angle), c = -2 * std::sin(angle / 2) * std::sin(angle / 2);
  const Mat3<double> turn{{{c, -s, 0}, {s, c, 0}, {0, 0, 0}}};
  return frame * turn * transpose(frame);
}

inline Mat3<double> sample_increment(double least, double most, Random& random) {
  const double size = random.power_of_ten(std::log10(least), std::log10(most));
  switch (random.bits() % 6) {
    case 0:  // pure change of volume
      return (random.uniform(-1, 1) * size) * Mat3<double>::identity();
    case 1:  // stretch of one direction: two equal stretches
      return random.uniform(-1, 1) * Mat3<double>::diagonal(size, 0, 0);
    case 2: {  // simple shear
      Mat3<double> du{};
      du(0, 1) = random.uniform(-1, 1) * size;
      return du;
    }
    case 3:  // rotation
      return sample_turn(random.bits() % 2 ? size : random.uniform(0, 3), random);
    default:
      return make_mat3<double>([&](int, int) { return random.uniform(-1, 1) * size; });
  }
}

// the increments of one history, kept where stretches are within about 1/3 to 3
class History {
 public:
  static constexpr int length = 10;
  explicit History(Random& random, double least = 1e-6, double most = 0.2)
      : random_(random), least_(least), most_(most) {
    if (random.bits() % 8 == 0) least_ = 1e-9, most_ = 1e-6;  // near rest
  }

  Mat3<double> next() {
    const Mat3<double> one = Mat3<double>::identity();
    for (;;) {
      Mat3<double> du = sample_increment(least_, most_, random_);
      if (random_.bits() % 8 == 0) du = inverse(one + last_) - one;  // reverses the last increment
      const Mat3<double> f = (one + du) * f_;
      if (!(det(f) > 0.3 && det(f) < 3 && norm_squared(f) < 12 && norm_squared(inverse(f)) < 12)) continue;
      f_ = f;
      return last_ = du;
    }
  }

 private:
  Random& random_;
  double least_, most_;
  Mat3<double> f_ = Mat3<double>::identity(), last_{};
};

// Calls body(model, law, history) for `count` histories, spread evenly over the sets of parameters.
template <class Case, class Body>
void each_history(int count, std::uint64_t seed, Body&& body) {
  const auto sets = parameter_sets<typename Case::Model>();
  Random random{seed};
  for (int i = 0; i < count; ++i) {
    const auto& model = sets[std::size_t(i) % sets.size()];
    History history(random);
    body(model, step_law<typename Case::S>(model, test_dt), history);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// histories in a test: some hundreds, fewer in debug builds, where every operation is checked
inline const int history_count = std::max(36, sample_count(720));

}  // namespace dollop::inline DOLLOP_ISA
