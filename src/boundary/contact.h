// The contact rule: how contact with a body changes a velocity. Theory: docs/theory/contact.md.
//
// The rule does not depend on its caller: grid nodes, particles or a projection inside a linear solve.
//   phi  signed distance to the body [m]    n  unit outward normal    v_b  velocity of the body [m/s]
#pragma once

#include <dollop/colliders.h>

#include "math/pack.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// whether nodes inside the body move with it, whatever other bodies touch them
constexpr bool holds_nodes(ContactKind kind) {
  return kind == ContactKind::sticky || kind == ContactKind::no_slip;
}

template <class R>
struct Contact {
  R phi;             // negative inside
  Vec3<R> normal;    // unit
  Vec3<R> velocity;  // of the body at this point
  R friction;        // Coulomb coefficient
};

// The velocity after contact: v without contact; else the sum of the body's velocity, the normal part vn_new and the
// tangential part as reduced by Coulomb friction.
template <class R, class Mask>
DOLLOP_INLINE Vec3<R> slide(const Contact<R>& c, const Vec3<R>& v, const R& vn_new, const Mask& touches) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), one = R(S(1));
  const Vec3<R> rel = v - c.velocity;
  const R vn = dot(rel, c.normal);  // (BC.1)
  const Vec3<R> vt = rel - vn * c.normal;
  const R grip = c.friction * max(zero, vn_new - vn);               // only compression causes friction
  const R keep = max(zero, one - grip / (norm(vt) + R(S(1e-30))));  // (BC.3); 1e-30 guards 0/0
  const Vec3<R> w = c.velocity + vn_new * c.normal + keep * vt;
  return choose(touches, w, v);
}

// normal speed relative to the body: < 0 while approaching   (BC.1)
template <class R>
DOLLOP_INLINE R normal_speed(const Contact<R>& c, const Vec3<R>& v) {
  return dot(v - c.velocity, c.normal);
}

// the material moves with the body   (BC.4)
template <class R>
DOLLOP_INLINE Vec3<R> resolve_sticky(const Contact<R>& c, const Vec3<R>& v) {
  return choose(c.phi <= R(ScalarOf<R>(0)), c.velocity, v);
}

// the relative normal velocity vanishes, approaching or separating   (BC.2)
template <class R>
DOLLOP_INLINE Vec3<R> resolve_slip(const Contact<R>& c, const Vec3<R>& v) {
  const R zero = R(ScalarOf<R>(0));
  return slide(c, v, zero, c.phi <= zero);
}

// the material must not approach the body but may separate from it   (BC.2)
template <class R>
DOLLOP_INLINE Vec3<R> resolve_separate(const Contact<R>& c, const Vec3<R>& v) {
  const R zero = R(ScalarOf<R>(0));
  return slide(c, v, zero, both(c.phi <= zero, normal_speed(c, v) < zero));
}

// limits the approach so that a point outside the body does not enter it within dt   (BC.5)
template <class R>
DOLLOP_INLINE Vec3<R> resolve_ahead(const Contact<R>& c, const Vec3<R>& v, ScalarOf<R> dt) {
  const R slowest = -max(R(ScalarOf<R>(0)), c.phi) / R(dt);
  return slide(c, v, slowest, normal_speed(c, v) < slowest);
}

template <class R>
DOLLOP_INLINE Vec3<R> resolve(ContactKind kind, const Contact<R>& c, const Vec3<R>& v) {
  switch (kind) {
    case ContactKind::sticky:
    case ContactKind::no_slip:
      return resolve_sticky(c, v);
    case ContactKind::slip:
      return resolve_slip(c, v);
    case ContactKind::separate:
      break;
  }
  return resolve_separate(c, v);
}

}  // namespace dollop::inline DOLLOP_ISA
