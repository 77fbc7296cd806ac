// The colliders and the camera of a run in USD. Layout: docs/exports.md.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "boundary/collider.h"
#include "io/usda_text.h"
#include "render/palette.h"
#include "run/scenery.h"

namespace dollop {
namespace {

const std::string inner = "        ";

// a matrix of USD multiplies rows from the left: its rows are the columns of ours
std::string usda_matrix(const Rotation& r, const Double3& t) {
  std::string rows;
  for (std::size_t k = 0; k < 3; ++k) rows += fmt::format("({}, {}, {}, 0), ", r[0][k], r[1][k], r[2][k]);
  return fmt::format("( {}({}, {}, {}, 1) )", rows, t[0], t[1], t[2]);
}

// An array of a mesh: its declaration, its metadata, and the function that writes its value.
struct UsdaArray {
  const char* declaration;
  const char* metadata;
  std::function<void(AtomicFile& out, const SurfaceMesh& mesh)> write;
};

void write_vectors(AtomicFile& out, const std::vector<Vec3<float>>& values) {
  write_usda_array(out, reinterpret_cast<const float*>(values.data()), values.size(), 3);
}

const std::vector<UsdaArray>& arrays_of_mesh() {
  static const std::vector<UsdaArray> arrays{
      {"point3f[] points", "",
       [](AtomicFile& out, const SurfaceMesh& m) { write_vectors(out, m.positions); }},
      {"normal3f[] normals", "interpolation = \"vertex\"",
       [](AtomicFile& out, const SurfaceMesh& m) { write_vectors(out, m.normals); }},
      {"int[] faceVertexCounts", "",
       [](AtomicFile& out, const SurfaceMesh& m) {
         const std::vector<std::int32_t> threes(m.triangles.size(), 3);
         write_usda_array(out, threes.data(), threes.size());
       }},
      {"int[] faceVertexIndices", "",
       [](AtomicFile& out, const SurfaceMesh& m) {
         write_usda_array(out, reinterpret_cast<const std::uint32_t*>(m.triangles.data()),
                          3 * m.triangles.size());
       }},
  };
  return arrays;
}

std::string in_brackets(const char* metadata) {
  return metadata[0] ? fmt::format(" (\n{0}    {1}\n{0})", inner, metadata) : std::string();
}

// one array for all frames
void write_fixed(AtomicFile& out, const UsdaArray& array, const SurfaceMesh& mesh) {
  out.write(fmt::format("{}{} = ", inner, array.declaration));
  array.write(out, mesh);
  out.write(in_brackets(array.metadata) + "\n");
}

// an array for each frame
void write_samples(AtomicFile& out, const UsdaArray& array, const std::vector<int>& frames,
                   const std::function<SurfaceMesh(int frame)>& mesh_at) {
  if (array.metadata[0])
    out.write(fmt::format("{}{}{}\n", inner, array.declaration, in_brackets(array.metadata)));
  out.write(fmt::format("{}{}.timeSamples = {{\n", inner, array.declaration));
  for (const int frame : frames) {
    out.write(fmt::format("{}    {}: ", inner, frame));
    array.write(out, mesh_at(frame));
    out.write(",\n");
  }
  out.write(inner + "}\n");
}

}  // namespace

void Scenery::write_usda(const std::filesystem::path& file, const std::vector<int>& frames) const {
  const std::vector<Collider>& colliders = cache_.scene().colliders;
  AtomicFile out(file);
  const double first = frames.empty() ? 0 : frames.front(), last = frames.empty() ? 0 : frames.back();
  out.write(usda_header("colliders", "written by dollop", {first, last, cache_.scene().settings.frame_rate}));
  out.write("\ndef Xform \"colliders\"\n{\n");
  std::set<std::string> names;
  for (const Part& part : parts_) {
    const Collider& collider = colliders[part.collider];
    std::string name = usda_identifier(part.name);
    while (!names.insert(name).second) name += "_";
    const Vec3<float> color = collider_appearance(collider, part.collider).albedo;
    out.write(fmt::format("    def Mesh \"{}\"\n    {{\n", name));
    out.write(
        fmt::format("{0}uniform token orientation = \"rightHanded\"\n"
                    "{0}uniform token subdivisionScheme = \"none\"\n"
                    "{0}color3f[] primvars:displayColor = [({1}, {2}, {3})]{4}\n"
                    "{0}custom string dollop:look = {5}\n",
                    inner, color.x, color.y, color.z, in_brackets("interpolation = \"constant\""),
                    usda_string(collider.look.empty() ? "plain" : collider.look)));
    for (const UsdaArray& array : arrays_of_mesh())
      if (part.changes)
        write_samples(out, array, frames, [&](int frame) { return rest_mesh(part, time_of(frame)); });
      else
        write_fixed(out, array, part.rest);
    const auto matrix_at = [&](double time) {
      const Pose pose = pose_at(collider.motion, time);
      return usda_matrix(pose.rotation, pose.translation);
    };
    if (part.moves) {
      out.write(inner + "matrix4d xformOp:transform.timeSamples = {\n");
      for (const int frame : frames)
        out.write(fmt::format("{}    {}: {},\n", inner, frame, matrix_at(time_of(frame))));
      out.write(inner + "}\n");
    } else {
      out.write(fmt::format("{}matrix4d xformOp:transform = {}\n", inner, matrix_at(0)));
    }
    if (!part.stays) {
      out.write(inner + "token visibility.timeSamples = {\n");
      for (const int frame : frames)
        out.write(fmt::format("{}    {}: \"{}\",\n", inner, frame,
                              is_there(collider, time_of(frame)) ? "inherited" : "invisible"));
      out.write(inner + "}\n");
    }
    out.write(inner + "uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n");
  }
  out.write("}\n");
  out.commit();
}

std::string Scenery::usda_camera() const {
  const Camera& camera = view_.camera;
  constexpr double height = 20.25;  // of the film, which is 36 mm wide
  const Vec3<float> back = -camera.forward;
  Rotation rotation;
  for (std::size_t a = 0; a < 3; ++a) rotation[a] = {camera.right[int(a)], camera.up[int(a)], back[int(a)]};
  return fmt::format(
      "    def Camera \"camera\"\n    {{\n"
      "{0}float focalLength = {1}\n{0}float horizontalAperture = 36\n{0}float verticalAperture = {2}\n"
      "{0}float2 clippingRange = ({3}, {4})\n{0}matrix4d xformOp:transform = {5}\n"
      "{0}uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }}\n",
      inner, height / (2 * double(camera.half_height)), height, 0.01 * double(view_.size),
      1000 * double(view_.size), usda_matrix(rotation, {camera.eye.x, camera.eye.y, camera.eye.z}));
}

}  // namespace dollop
