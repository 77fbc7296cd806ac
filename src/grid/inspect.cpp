// Looks at a step before it is taken.
#include "grid/inspect.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dollop {
namespace {

// Particles that follow each other in memory, with copies of the columns that grid_to_particles writes, and a material
// that keeps its state.
template <class S>
class Copies {
 public:
  void take(const GroupView<S>& group, std::size_t first, std::size_t last) {
    view_ = group;
    material_ = *group.material;
    material_.advance = [](const void*, const S*, S* const*, std::size_t, int) {};
    view_.material = &material_;
    const std::size_t stride = last - first + chunk_size;  // particles past the end may be read
    columns_.assign(15 * stride, S(0));
    S* copy = columns_.data();
    const auto move_column = [&](S*& column) {
      if (!column) return;
      std::copy(column + first, column + last, copy);
      column = copy - std::ptrdiff_t(first);
      copy += stride;
    };
    for (S*& column : view_.x) move_column(column);
    for (S*& column : view_.v) move_column(column);
    for (S*& column : view_.c) move_column(column);
  }
  const GroupView<S>& view() const { return view_; }

 private:
  GroupView<S> view_;
  MaterialKernels<S> material_;
  std::vector<S> columns_;
};

template <class S>
void add(const TileReport<S>& other, TileReport<S>& report) {
  report.max_speed_squared = std::max(report.max_speed_squared, other.max_speed_squared);
  report.max_travel = std::max(report.max_travel, other.max_travel);
  report.max_increment_norm = std::max(report.max_increment_norm, other.max_increment_norm);
  report.min_det = std::min(report.min_det, other.min_det);
  report.finite = report.finite && other.finite;
  report.left_margin = report.left_margin || other.left_margin;
}

}  // namespace

template <class S>
void inspect(const TransferKernels<S>& kernels, const TransferArgs<S>& args, const S* moving, int run,
             int part) {
  const TileRun whole = args.runs[run];
  if (whole.kind == RunKind::lone && kernels.inspect_lone) return kernels.inspect_lone(args, run, part);
  std::vector<Copies<S>> copies(std::size_t(args.group_count));
  std::vector<GroupView<S>> groups(copies.size());
  std::vector<TileReport<S>> reports(std::size_t(args.parts));
  TileReport<S> all{S(0), S(0), S(0), S(1), true, false};
  TransferArgs<S> some = args;
  some.groups = groups.data();
  some.reports = reports.data();
  // tiles that follow each other in memory, as a run of their own
  for (std::int32_t n = whole.begin, next; n < whole.end; n = next) {
    const std::int32_t tile = args.run_tiles[n];
    for (next = n + 1; next < whole.end && args.run_tiles[next] == tile + (next - n);) ++next;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const std::uint32_t* begin = args.groups[k].begin;
      copies[k].take(args.groups[k], begin[tile], begin[tile + (next - n)]);
      groups[k] = copies[k].view();
    }
    const TileRun piece{n, next, whole.kind};
    some.runs = &piece;
    kernels.grid_to_particles(some, moving, 0, part);
    add(reports[std::size_t(part)], all);
  }
  args.reports[run * args.parts + part] = all;
}

template void inspect(const TransferKernels<float>&, const TransferArgs<float>&, const float*, int, int);
template void inspect(const TransferKernels<double>&, const TransferArgs<double>&, const double*, int, int);

}  // namespace dollop
