// Reads tables of a scene file into structures, guided by the tables of keys.
#pragma once

#include <filesystem>
#include <functional>

#include "scene/document.h"
#include "scene/keys.h"

namespace dollop {

using MeshLoader = std::function<Mesh(const std::string& file, double voxel_size)>;

class Reader {
 public:
  Reader(const Document& document, std::filesystem::path folder, MeshLoader load_mesh)
      : document_(document), folder_(std::move(folder)), load_mesh_(std::move(load_mesh)) {}

  double default_voxel_size = 0;  // for meshes that give none [m]

  [[noreturn]] void fail(const Location& at, const std::string& message) const {
    document_.fail(at, message);
  }

  // `entry`: the table and the name it was written under. `label`: its name in messages, "[simulation]" or "sphere".
  void read_table(const Section& section, const std::string& label, const Entry& entry, void* object) const;
  void read_key(const Key& key, const Entry& entry, void* object) const;
  void unknown_key(const Section& section, const std::string& label, const Entry& entry) const;
  void require_keys(const Section& section, const std::string& label, const Entry& entry) const;

  double number(const Key& key, const Node& node) const;
  std::string text(const Key& key, const Node& node) const;
  std::string word(const Key& key, const Node& node) const;  // one of the key's
  Shape shape(const Entry& entry, double scale = 1) const;   // scale: product of those of the sets around it

 private:
  struct Value;  // reads the value of a key, by the alternative of its Slot
  void need(Node::Kind kind, const Key& key, const Node& node, const char* expected) const;
  std::int64_t integer(const Key& key, const Node& node) const;
  Double3 vector(const Key& key, const Node& node) const;
  Animated animated(const Key& key, const Node& node) const;
  Animated3 animated_vector(const Key& key, const Node& node) const;
  Animated::Kind animation_kind(const Key& key, const Node& table) const;
  double key_time(const Key& key, const Node& pair, double after) const;
  Animated expression(const Key& key, const Node& node) const;
  std::vector<std::string> list(const Key& key, const Node& node) const;
  Rotation rotation(const Key& key, const Node& node) const;
  void check_range(const Key& key, const Node& node, double value) const;
  [[noreturn]] void fail_angle(const Key& key, const Node& node, double value) const;

  const ShapeKind& find_kind(const Entry& entry, const Entry*& definition) const;
  Shape make_shape(const ShapeKind& kind, const Entry& definition, double scale) const;
  Mesh mesh(const Node& at, const std::string& file, double voxel_size) const;
  void check_shape(const Shape& shape, const Node& definition) const;

  const Document& document_;
  std::filesystem::path folder_;  // that files are relative to
  MeshLoader load_mesh_;
};

}  // namespace dollop
