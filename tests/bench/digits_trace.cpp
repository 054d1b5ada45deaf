// SPDX-License-Identifier: Apache-2.0
#include "digits_trace.hpp"

#include <vector>

namespace collet::bench {
namespace {

constexpr std::uint64_t kBatch = 64;
constexpr std::uint64_t kStepsPerEpoch = 22;
constexpr std::uint64_t kEpochs = 30;
constexpr std::uint64_t kTestImages = 360;
constexpr std::uint64_t kPixels = 64;
constexpr std::uint64_t kHidden = 128;
constexpr std::uint64_t kClasses = 10;
constexpr std::uint64_t kParameters = (kPixels + 1) * kHidden + (kHidden + 1) * kClasses;
constexpr std::uint64_t kFloat = 4;
constexpr std::uint64_t kIndex = 8;

class Sample {
 public:
  explicit Sample(MemoryTrace& trace) : trace_(trace) {}

  void run() {
    images(kStepsPerEpoch * kBatch);
    images(kTestImages);
    floats(kParameters);
    floats(kParameters);  // gradients
    inputs();
    floats(kEpochs * kStepsPerEpoch);  // step sizes
    backward();
    adam();
    test();
    for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) run_epoch();
  }

 private:
  // What a sequence of operations has lives until the sample ends.
  void bytes(std::uint64_t size_bytes) { buffers_.emplace_back(trace_, size_bytes); }
  void floats(std::uint64_t count) { bytes(count * kFloat); }

  void images(std::uint64_t count) {
    floats(count * kPixels);
    floats(count);  // labels
    floats(count * kClasses);
    bytes(count * kPixels);
    bytes(count);
    floats(kClasses);
  }

  void inputs() {
    floats(kBatch * kPixels);
    floats(kBatch * kHidden);
    floats(kBatch * kClasses);
    floats(kBatch * kClasses);  // one-hot labels
    floats(1);                  // step size
    floats(1);                  // sum of the losses
    floats(1);                  // recognized images
  }

  void backward() {
    floats(kBatch * kClasses);
    floats(kBatch * kClasses);
    floats(kBatch * kHidden);
    floats(kBatch * kHidden);
    floats(1);
  }

  void adam() {
    for (int i = 0; i < 3; ++i) floats(kParameters);
  }

  void test() {
    floats(kTestImages * kHidden);
    floats(kTestImages * kClasses);
    bytes(kTestImages * kIndex);
    floats(kTestImages);
  }

  // The workspaces are those of the `cpu` device, as a run of the sample asks for them.
  void run_epoch() {
    for (std::uint64_t step = 0; step < kStepsPerEpoch; ++step) {
      for (const std::uint64_t size_bytes : {640U, 33536U, 4864U}) workspace(size_bytes);
    }
    for (int i = 0; i < 2; ++i) workspace(1280);
  }

  void workspace(std::uint64_t size_bytes) { const TracedBuffer buffer(trace_, size_bytes); }

  MemoryTrace& trace_;
  std::vector<TracedBuffer> buffers_;
};

}  // namespace

MemoryTrace digits_trace() {
  MemoryTrace trace;
  Sample(trace).run();
  return trace;
}

}  // namespace collet::bench
