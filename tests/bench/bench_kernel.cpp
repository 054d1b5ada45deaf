// SPDX-License-Identifier: Apache-2.0
//
// Kernels in collet-c, against the same as hand-written loops, and against oneDNN.
#include <utility>
#include <vector>

#include "areas.hpp"
#include "onednn_matmul.hpp"
#include "process.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{1} << 18;
constexpr std::uint64_t kLarge = std::uint64_t{1} << 22;

// A launch with its arguments, to be made again and again.
class BoundLaunch {
 public:
  BoundLaunch(const Stream& stream, const char* file, const char* kernel, const Grid& grid,
              std::vector<collet_argument_t> arguments)
      : stream_(stream),
        kernel_(stream.device().load(beside_program(file)).kernel(kernel)),
        arguments_(std::move(arguments)) {
    std::copy(grid.groups.begin(), grid.groups.end(), launch_.grid);
    std::copy(grid.group_size.begin(), grid.group_size.end(), launch_.group);
    launch_.argument_count = static_cast<std::uint32_t>(arguments_.size());
    launch_.arguments = arguments_.data();
  }

  // Refers to this object.
  [[nodiscard]] Batch batch() const {
    return commands(
        stream_, [this] { return collet_stream_launch(stream_.get(), kernel_.get(), &launch_); });
  }

 private:
  Stream stream_;
  Kernel kernel_;
  std::vector<collet_argument_t> arguments_;
  collet_launch_t launch_{};
};

constexpr const char* kPortable = "../lib/bench/portable_kernels.so";
constexpr const char* kPlain = "../lib/bench/plain_kernels.so";

Medians compare(const Stream& stream, const char* kernel, std::uint64_t count,
                const std::vector<collet_argument_t>& arguments) {
  const auto groups = (count + 4095) / 4096;
  const Grid grid{{groups, 1, 1}, {256, 1, 1}};
  const BoundLaunch subject(stream, kPortable, kernel, grid, arguments);
  const BoundLaunch reference(stream, kPlain, kernel, grid, arguments);
  return take_turns(subject.batch(), reference.batch());
}

Figures saxpy(std::uint64_t count) {
  const Stream stream(open_device("cpu"));
  const auto size = static_cast<std::int64_t>(count);
  const TensorView x = make_tensor(stream, {size}, 1.0F);
  const TensorView y = make_tensor(stream, {size}, 2.0F);
  // So small that the values stay where they are, however often it is added.
  const float a = 1e-20F;
  const Medians medians = compare(stream, "saxpy", count,
                                  {detail::argument(x.buffer), detail::argument(y.buffer),
                                   detail::argument(a), detail::argument(count)});
  return as_rate(medians, 12.0 * static_cast<double>(count));
}

Figures block_sum(std::uint64_t count) {
  const Stream stream(open_device("cpu"));
  const auto size = static_cast<std::int64_t>(count);
  const TensorView x = make_tensor(stream, {size}, 1.0F);
  const TensorView sums = make_tensor(stream, {size}, 0.0F);
  const Medians medians =
      compare(stream, "block_sum", count,
              {detail::argument(x.buffer), detail::argument(sums.buffer), detail::argument(count)});
  return as_rate(medians, 4.0 * static_cast<double>(count));
}

Figures matmul(int n) {
  const Device device = open_device("cpu");
  const Stream stream(device);
  const TensorView a = make_tensor(stream, {n, n}, 0.5F);
  const TensorView b = make_tensor(stream, {n, n}, 0.25F);
  const TensorView c = make_tensor(stream, {n, n}, 0);
  stream.synchronize();
  const auto tiles = static_cast<std::uint64_t>((n + 63) / 64);
  const BoundLaunch subject(
      stream, kPortable, "matmul", Grid{{tiles, tiles, 1}, {16, 16, 1}},
      {detail::argument(a.buffer), detail::argument(b.buffer), detail::argument(c.buffer),
       detail::argument(n), detail::argument(n), detail::argument(n)});
  OnednnMatmul reference(n, host_pointer(a), host_pointer(b), host_pointer(c),
                         device.properties().compute_units);
  const double size = n;
  return as_rate(take_turns(subject.batch(), reference.batch()), 2 * size * size * size);
}

}  // namespace

std::vector<Row> kernel_rows() {
  const char* const by_hand = "the same, written by hand";
  return {
      {"kernel/saxpy/262144/cpu", "GB/s", by_hand, [] { return saxpy(kSmall); }},
      {"kernel/saxpy/4194304/cpu", "GB/s", by_hand, [] { return saxpy(kLarge); }},
      {"kernel/block_sum/262144/cpu", "GB/s", by_hand, [] { return block_sum(kSmall); }},
      {"kernel/block_sum/4194304/cpu", "GB/s", by_hand, [] { return block_sum(kLarge); }},
      {"kernel/matmul/512/cpu", "GFLOP/s", "oneDNN, called directly", [] { return matmul(512); }}};
}

}  // namespace collet::bench
