#include "boundary/contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace dollop {
namespace {

template <class S>
class ContactRule : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ContactRule, Scalars);

constexpr ContactKind kinds[] = {ContactKind::sticky, ContactKind::slip, ContactKind::separate};

template <class S>
void expect_near(const Vec3<S>& a, const Vec3<S>& b) {
  const double tolerance = 8 * std::numeric_limits<S>::epsilon();
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

template <class S>
Contact<S> ground(S friction, Vec3<S> velocity = {0, 0, 0}) {
  return {.phi = S(-0.1), .normal = {0, 1, 0}, .velocity = velocity, .friction = friction};
}

template <class S>
struct RandomContacts {
  std::mt19937 bits{5};
  S in(S a, S b) { return std::uniform_real_distribution<S>(a, b)(bits); }
  Vec3<S> vec() { return {in(-1, 1), in(-1, 1), in(-1, 1)}; }
  Contact<S> next() {
    const Vec3<S> n = vec();
    return {.phi = in(-1, 1), .normal = (S(1) / norm(n)) * n, .velocity = vec(), .friction = in(0, 1)};
  }
};

TYPED_TEST(ContactRule, coulomb_projection_on_a_static_floor) {
  using S = TypeParam;
  const Vec3<S> v{1, -1, 0};
  for (const ContactKind kind : {ContactKind::slip, ContactKind::separate}) {
    expect_near(resolve(kind, ground<S>(0), v), {1, 0, 0});
    expect_near(resolve(kind, ground<S>(S(0.4)), v), {S(0.6), 0, 0});
    expect_near(resolve(kind, ground<S>(S(1.2)), v), {0, 0, 0});
  }
}

// friction takes up to mu of the normal speed from the slip; what leaves is let go, and what sticks stays in any case
TYPED_TEST(ContactRule, known_velocities_after_a_collision) {
  using S = TypeParam;
  const Vec3<S> into{1, -1, 0}, away{1, S(0.1), 0};
  const struct {
    S friction;
    Vec3<S> after;
  } known[] = {{0, {1, 0, 0}}, {S(0.5), {S(0.5), 0, 0}}, {1, {0, 0, 0}}};
  for (const auto& k : known) {
    for (const Vec3<S>& floor :
         {Vec3<S>{0, 0, 0}, Vec3<S>{2, S(-0.5), 3}}) {  // velocities are relative to it
      const Contact<S> c = ground<S>(k.friction, floor);
      expect_near(resolve(ContactKind::separate, c, floor + into), floor + k.after);
      expect_near(resolve(ContactKind::separate, c, floor + away), floor + away);
      expect_near(resolve(ContactKind::sticky, c, floor + into), floor);
      expect_near(resolve(ContactKind::sticky, c, floor + away), floor);
    }
    const Vec3<S> gone = resolve(ContactKind::separate, ground<S>(k.friction), away);
    EXPECT_TRUE(gone.x == away.x && gone.y == away.y && gone.z == away.z);  // to the last bit
  }
}

TYPED_TEST(ContactRule, coulomb_projection_on_a_moving_floor) {
  using S = TypeParam;
  const Vec3<S> v{1, -1, 0}, floor{S(0.5), 0, 0};
  for (const ContactKind kind : {ContactKind::slip, ContactKind::separate}) {
    expect_near(resolve(kind, ground<S>(S(0.4), floor), v), {S(0.6), 0, 0});
    expect_near(resolve(kind, ground<S>(S(1.2), floor), v), {S(0.5), 0, 0});
  }
  // a floor that rises at 2 takes the material along
  expect_near(resolve_separate(ground<S>(0, {0, 2, 0}), v), {1, 2, 0});
}

TYPED_TEST(ContactRule, kinds_differ_when_leaving_the_body) {
  using S = TypeParam;
  const Vec3<S> v{1, 1, 0}, body{S(0.25), S(0.5), 0};
  const Contact<S> c = ground<S>(S(0.4), body);
  expect_near(resolve(ContactKind::sticky, c, v), body);
  expect_near(resolve(ContactKind::slip, c, v), {1, S(0.5), 0});  // pulled back, no friction
  expect_near(resolve(ContactKind::separate, c, v), v);
}

TYPED_TEST(ContactRule, acts_on_the_surface_and_inside_only) {
  using S = TypeParam;
  const Vec3<S> v{1, -1, 0};
  for (const ContactKind kind : kinds) {
    Contact<S> c = ground<S>(0);
    c.phi = S(1e-6);
    const Vec3<S> outside = resolve(kind, c, v);
    EXPECT_EQ(outside.x, v.x);
    EXPECT_EQ(outside.y, v.y);
    c.phi = 0;
    EXPECT_EQ(resolve(kind, c, v).y, 0);
  }
}

TYPED_TEST(ContactRule, head_on_and_at_rest_stay_finite) {
  using S = TypeParam;
  for (const ContactKind kind : kinds) {
    expect_near(resolve(kind, ground<S>(S(0.4)), Vec3<S>{0, -3, 0}), {0, 0, 0});
    expect_near(resolve(kind, ground<S>(S(0.4)), Vec3<S>{0, 0, 0}), {0, 0, 0});
    expect_near(resolve(kind, ground<S>(S(0.4)), Vec3<S>{S(1e-30), S(-1e10), 0}), {0, 0, 0});
  }
}

TYPED_TEST(ContactRule, never_adds_relative_energy_and_acts_once) {
  using S = TypeParam;
  const S tolerance = 8 * std::numeric_limits<S>::epsilon();
  RandomContacts<S> random;
  for (int i = 0; i < 2000; ++i) {
    const Contact<S> c = random.next();
    const Vec3<S> v = random.vec();
    for (const ContactKind kind : kinds) {
      const Vec3<S> once = resolve(kind, c, v);
      EXPECT_LE(norm(once - c.velocity), norm(v - c.velocity) + tolerance);
      expect_near(resolve(kind, c, once), once);
      if (c.phi <= 0) {
        EXPECT_GE(dot(once - c.velocity, c.normal), -tolerance);
      }
    }
  }
}

// Depth phi + dt (v - v_b) . n after a step: kept inside, never below zero from outside.
TYPED_TEST(ContactRule, looking_ahead_keeps_the_depth_and_stops_at_the_surface) {
  using S = TypeParam;
  const S dt = S(0.5);
  const auto depth_after = [&](S phi) {
    Contact<S> c = ground<S>(0, {0, S(0.25), 0});
    c.phi = phi;
    return phi + dt * normal_speed(c, resolve_ahead(c, Vec3<S>{1, -1, 0}, dt));
  };
  EXPECT_NEAR(depth_after(S(-0.3)), -0.3, 1e-6);
  EXPECT_NEAR(depth_after(S(0.3)), 0, 1e-6);
  EXPECT_NEAR(depth_after(S(0.7)), 0.7 - 0.5 * 1.25, 1e-6);  // does not arrive
  // friction from the normal velocity that was taken: 1 - 0.4 * 0.5
  Contact<S> c = ground<S>(S(0.4));
  c.phi = S(0.25);
  expect_near(resolve_ahead(c, Vec3<S>{1, -1, 0}, dt), {S(0.8), S(-0.5), 0});
}

TYPED_TEST(ContactRule, lanes_equal_scalars) {
  using S = TypeParam;
  using P = Pack<S>;
  RandomContacts<S> random;
  for (int round = 0; round < 500; ++round) {
    Contact<S> c[P::lanes];
    Vec3<S> v[P::lanes];
    Contact<P> cs;
    Vec3<P> vs;
    for (int l = 0; l < P::lanes; ++l) {
      c[l] = random.next();
      v[l] = random.vec();
      cs.phi.set(l, c[l].phi);
      cs.friction.set(l, c[l].friction);
      for (int i = 0; i < 3; ++i) {
        cs.normal[i].set(l, c[l].normal[i]);
        cs.velocity[i].set(l, c[l].velocity[i]);
        vs[i].set(l, v[l][i]);
      }
    }
    const auto expect_same = [&](const Vec3<P>& lanes, auto&& scalar) {
      for (int l = 0; l < P::lanes; ++l)
        for (int i = 0; i < 3; ++i) EXPECT_EQ(lanes[i][l], scalar(c[l], v[l])[i]);
    };
    for (const ContactKind kind : kinds)
      expect_same(resolve(kind, cs, vs), [&](const auto& a, const auto& b) { return resolve(kind, a, b); });
    const S dt = S(0.5);
    expect_same(resolve_ahead(cs, vs, dt),
                [&](const auto& a, const auto& b) { return resolve_ahead(a, b, dt); });
  }
}

}  // namespace
}  // namespace dollop
