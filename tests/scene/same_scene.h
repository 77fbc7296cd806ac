// Compares two scenes field by field, without use of the writer.
#pragma once

#include <dollop/scene.h>
#include <gtest/gtest.h>

namespace dollop {

inline void expect_same(const Animated& a, const Animated& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.expression, b.expression);
  ASSERT_EQ(a.keys.size(), b.keys.size());
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    EXPECT_EQ(a.keys[i].time, b.keys[i].time);
    EXPECT_EQ(a.keys[i].value, b.keys[i].value);
  }
}

inline void expect_same(const Animated3& a, const Animated3& b) {
  expect_same(a.x, b.x);
  expect_same(a.y, b.y);
  expect_same(a.z, b.z);
}

inline void expect_same(const Motion& a, const Motion& b) {
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.angular_velocity, b.angular_velocity);
  EXPECT_EQ(a.pivot, b.pivot);
  expect_same(a.position, b.position);
  expect_same(a.rotation, b.rotation);
}

void expect_same(const Shape& a, const Shape& b);

struct SameForm {
  const Shape& other;
  template <class T>
  const T& theirs() const {
    return std::get<T>(other.form);
  }
  void operator()(const Plane& a) const {
    EXPECT_EQ(a.point, theirs<Plane>().point);
    EXPECT_EQ(a.normal, theirs<Plane>().normal);
  }
  void operator()(const Box& a) const {
    EXPECT_EQ(a.center, theirs<Box>().center);
    EXPECT_EQ(a.size, theirs<Box>().size);
    EXPECT_EQ(a.rounding, theirs<Box>().rounding);
  }
  void operator()(const Sphere& a) const {
    EXPECT_EQ(a.center, theirs<Sphere>().center);
    EXPECT_EQ(a.radius, theirs<Sphere>().radius);
  }
  void operator()(const Cylinder& a) const {
    EXPECT_EQ(a.center, theirs<Cylinder>().center);
    EXPECT_EQ(a.axis, theirs<Cylinder>().axis);
    EXPECT_EQ(a.radius, theirs<Cylinder>().radius);
    EXPECT_EQ(a.height, theirs<Cylinder>().height);
  }
  void operator()(const Capsule& a) const {
    EXPECT_EQ(a.from, theirs<Capsule>().from);
    EXPECT_EQ(a.to, theirs<Capsule>().to);
    EXPECT_EQ(a.radius, theirs<Capsule>().radius);
  }
  void operator()(const Ellipsoid& a) const {
    EXPECT_EQ(a.center, theirs<Ellipsoid>().center);
    EXPECT_EQ(a.radii, theirs<Ellipsoid>().radii);
  }
  void operator()(const Cone& a) const {
    EXPECT_EQ(a.center, theirs<Cone>().center);
    EXPECT_EQ(a.axis, theirs<Cone>().axis);
    EXPECT_EQ(a.radius, theirs<Cone>().radius);
    EXPECT_EQ(a.height, theirs<Cone>().height);
    EXPECT_EQ(a.top_radius, theirs<Cone>().top_radius);
  }
  void operator()(const Torus& a) const {
    EXPECT_EQ(a.center, theirs<Torus>().center);
    EXPECT_EQ(a.axis, theirs<Torus>().axis);
    EXPECT_EQ(a.radius, theirs<Torus>().radius);
    EXPECT_EQ(a.tube_radius, theirs<Torus>().tube_radius);
  }
  void operator()(const Disc& a) const {
    EXPECT_EQ(a.center, theirs<Disc>().center);
    EXPECT_EQ(a.normal, theirs<Disc>().normal);
    EXPECT_EQ(a.radius, theirs<Disc>().radius);
    EXPECT_EQ(a.thickness, theirs<Disc>().thickness);
  }
  void operator()(const Mesh& a) const {
    EXPECT_EQ(a.file, theirs<Mesh>().file);
    EXPECT_EQ(a.voxel_size, theirs<Mesh>().voxel_size);
  }
  void operator()(const MeshSequence& a) const {
    const auto& b = theirs<MeshSequence>();
    EXPECT_EQ(a.frame_rate, b.frame_rate);
    EXPECT_EQ(a.start, b.start);
    ASSERT_EQ(a.frames.size(), b.frames.size());
    for (std::size_t i = 0; i < a.frames.size(); ++i) {
      EXPECT_EQ(a.frames[i].file, b.frames[i].file);
      EXPECT_EQ(a.frames[i].voxel_size, b.frames[i].voxel_size);
    }
  }
  void all(const std::vector<Shape>& a, const std::vector<Shape>& b) const {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
  }
  void operator()(const Union& a) const { all(a.shapes, theirs<Union>().shapes); }
  void operator()(const Intersect& a) const { all(a.shapes, theirs<Intersect>().shapes); }
  void operator()(const Minus& a) const { all(a.shapes, theirs<Minus>().shapes); }
  void operator()(const Placed& a) const {
    const auto& b = theirs<Placed>();
    EXPECT_EQ(a.rotation, b.rotation);
    EXPECT_EQ(a.translation, b.translation);
    EXPECT_EQ(a.scale, b.scale);
    expect_same(*a.shape, *b.shape);
  }
};

inline void expect_same(const Shape& a, const Shape& b) {
  ASSERT_EQ(a.form.index(), b.form.index());
  std::visit(SameForm{b}, a.form);
}

inline void expect_same(const Settings& a, const Settings& b) {
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.methods, b.methods);
  EXPECT_EQ(a.duration, b.duration);
  EXPECT_EQ(a.frame_rate, b.frame_rate);
  EXPECT_EQ(a.cell_size, b.cell_size);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.transfer, b.transfer);
  EXPECT_EQ(a.flip_ratio, b.flip_ratio);
  EXPECT_EQ(a.flip_dt, b.flip_dt);
  EXPECT_EQ(a.resample_every, b.resample_every);
  EXPECT_EQ(a.resample_strain, b.resample_strain);
  EXPECT_EQ(a.resample_fields, b.resample_fields);
  EXPECT_EQ(a.resample_merge, b.resample_merge);
  EXPECT_EQ(a.resample_depth, b.resample_depth);
  EXPECT_EQ(a.fading_time, b.fading_time);
  EXPECT_EQ(a.rpic_damping, b.rpic_damping);
  EXPECT_EQ(a.damping_trips, b.damping_trips);
  EXPECT_EQ(a.damping_viscosity, b.damping_viscosity);
  EXPECT_EQ(a.forces, b.forces);
  EXPECT_EQ(a.advection, b.advection);
  expect_same(a.gravity, b.gravity);
  EXPECT_EQ(a.precision, b.precision);
  EXPECT_EQ(a.max_dt, b.max_dt);
  EXPECT_EQ(a.min_dt, b.min_dt);
  EXPECT_EQ(a.dt_safety, b.dt_safety);
  EXPECT_EQ(a.cfl, b.cfl);
  EXPECT_EQ(a.volume_init, b.volume_init);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.threads, b.threads);
}

inline void expect_same(const Material& a, const Material& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.look, b.look);
  EXPECT_EQ(a.color, b.color);
  EXPECT_EQ(a.optical_depth, b.optical_depth);
}

inline void expect_same(const Body& a, const Body& b) {
  EXPECT_EQ(a.material, b.material);
  expect_same(a.shape, b.shape);
  EXPECT_EQ(a.particles_per_cell, b.particles_per_cell);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.surface_mesh, b.surface_mesh);
  EXPECT_EQ(a.surface_edge, b.surface_edge);
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (std::size_t k = 0; k < a.layers.size(); ++k) {
    EXPECT_EQ(a.layers[k].material, b.layers[k].material);
    EXPECT_EQ(a.layers[k].depth, b.layers[k].depth);
  }
  EXPECT_EQ(a.angular_velocity, b.angular_velocity);
  EXPECT_EQ(a.seeding, b.seeding);
}

inline void expect_same(const Emitter& a, const Emitter& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.material, b.material);
  expect_same(a.shape, b.shape);
  expect_same(a.speed, b.speed);
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.until, b.until);
  EXPECT_EQ(a.every, b.every);
  EXPECT_EQ(a.wait, b.wait);
  EXPECT_EQ(a.particles_per_cell, b.particles_per_cell);
  EXPECT_EQ(a.seeding, b.seeding);
  expect_same(a.motion, b.motion);
}

inline void expect_same(const Collider& a, const Collider& b) {
  EXPECT_EQ(a.name, b.name);
  expect_same(a.shape, b.shape);
  EXPECT_EQ(a.contact, b.contact);
  EXPECT_EQ(a.friction, b.friction);
  expect_same(a.motion, b.motion);
  expect_same(a.surface_velocity, b.surface_velocity);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.until, b.until);
  EXPECT_EQ(a.look, b.look);
  EXPECT_EQ(a.color, b.color);
}

inline void expect_same(const Gauge& a, const Gauge& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.shape.has_value(), b.shape.has_value());
  if (a.shape) expect_same(*a.shape, *b.shape);
  expect_same(a.motion, b.motion);
}

inline void expect_same(const Expectation& a, const Expectation& b) {
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.when, b.when);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.text, b.text);
}

template <class T>
void expect_all_same(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

inline void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.title, b.title);
  expect_same(a.settings, b.settings);
  expect_all_same(a.materials, b.materials);
  expect_all_same(a.bodies, b.bodies);
  expect_all_same(a.emitters, b.emitters);
  expect_all_same(a.colliders, b.colliders);
  expect_all_same(a.gauges, b.gauges);
  ASSERT_EQ(a.domain.has_value(), b.domain.has_value());
  if (a.domain) {
    EXPECT_EQ(a.domain->min, b.domain->min);
    EXPECT_EQ(a.domain->max, b.domain->max);
    EXPECT_EQ(a.domain->periodic, b.domain->periodic);
    ASSERT_EQ(a.domain->shear_rate.has_value(), b.domain->shear_rate.has_value());
    if (a.domain->shear_rate) expect_same(*a.domain->shear_rate, *b.domain->shear_rate);
  }
  EXPECT_EQ(a.output.particles, b.output.particles);
  EXPECT_EQ(a.output.attributes, b.output.attributes);
  EXPECT_EQ(a.output.preview, b.output.preview);
  EXPECT_EQ(a.output.preview_share, b.output.preview_share);
  EXPECT_EQ(a.output.checkpoint_every, b.output.checkpoint_every);
  EXPECT_EQ(a.output.survey, b.output.survey);
  EXPECT_EQ(a.output.surface, b.output.surface);
  EXPECT_EQ(a.output.surface_method, b.output.surface_method);
  EXPECT_EQ(a.output.surface_mesh, b.output.surface_mesh);
  ASSERT_EQ(a.camera.has_value(), b.camera.has_value());
  if (a.camera) {
    EXPECT_EQ(a.camera->eye, b.camera->eye);
    EXPECT_EQ(a.camera->target, b.camera->target);
    EXPECT_EQ(a.camera->angle, b.camera->angle);
  }
  expect_all_same(a.expectations, b.expectations);
}

}  // namespace dollop
