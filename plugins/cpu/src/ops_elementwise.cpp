// SPDX-License-Identifier: Apache-2.0
#include "ops_elementwise.hpp"

#include <algorithm>
#include <array>

#include "ops_loop.hpp"

namespace collet::cpu {
namespace {

/** An operand in the innermost loop. */
struct Stream {
  Kernels::Load load = nullptr;
  Kernels::Store store = nullptr;
  std::int64_t stride = 0;
  std::int64_t size_bytes = 0;
  /** Its memory can be used as a run of the compute type. */
  bool direct = false;
};

class ElementwisePlan final : public Plan {
 public:
  ElementwisePlan(std::span<const collet_layout_t> operands, const ElementFunction& function)
      : Plan(kOwnLoops, 0),
        loop_({operands[0].sizes, operands[0].rank}, operands),
        function_(function),
        input_count_(function.binary != nullptr ? 2 : 1) {
    for (std::uint32_t i = 0; i <= input_count_; ++i) {
      const collet_type_t type = operands[i].type;
      Stream& stream = streams_[i];
      stream.load = kernels().load[function.compute][type];
      stream.store = kernels().store[function.compute][type];
      stream.size_bytes = type_size(type);
      stream.stride = loop_.inner().steps[i] / stream.size_bytes;
      stream.direct = type == element_of(function.compute) && stream.stride == 1;
    }
  }

  void run(const Run& run) const override {
    run.executor.parallel_ranges(
        static_cast<std::uint64_t>(loop_.count()), kParallelGrain,
        [&](std::uint64_t begin, std::uint64_t end) {
          Buffers buffers;
          loop_.for_runs(
              static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
              [&](const Offsets& offsets, std::int64_t n) { run_inner(run, offsets, n, buffers); });
        });
  }

 private:
  struct Buffers {
    // Not initialised: a run writes what it reads.
    alignas(64) double values[3][kChunk];
  };

  void run_inner(const Run& run, const Offsets& offsets, std::int64_t n, Buffers& buffers) const {
    std::array<std::byte*, 3> at = {};
    bool all_direct = true;
    for (std::uint32_t i = 0; i <= input_count_; ++i) {
      at[i] = static_cast<std::byte*>(run.operands[i]) + offsets[i];
      all_direct = all_direct && streams_[i].direct;
    }
    const std::int64_t most = all_direct ? n : kChunk;
    for (std::int64_t done = 0; done < n; done += most) {
      const std::int64_t length = std::min(most, n - done);
      std::array<const void*, 2> in = {};
      for (std::uint32_t i = 1; i <= input_count_; ++i) {
        const Stream& stream = streams_[i];
        in[i - 1] = stream.direct ? static_cast<const void*>(at[i]) : buffers.values[i];
        // One value for the whole run is spread once, by the first and longest chunk.
        if (!stream.direct && (stream.stride != 0 || done == 0)) {
          stream.load(at[i], stream.stride, length, buffers.values[i]);
        }
        at[i] += length * stream.stride * stream.size_bytes;
      }
      const Stream& out = streams_[0];
      const void* result =
          apply(in, out.direct ? static_cast<void*>(at[0]) : buffers.values[0], length);
      if (!out.direct || result == in[0]) out.store(result, length, at[0], out.stride);
      at[0] += length * out.stride * out.size_bytes;
    }
  }

  /** Gives where the result is: `out`, or the input itself where there is no function. */
  const void* apply(const std::array<const void*, 2>& in, void* out, std::int64_t n) const {
    if (function_.binary != nullptr) {
      function_.binary(in[0], in[1], out, n);
    } else if (function_.unary != nullptr) {
      function_.unary(in[0], out, n);
    } else {
      return in[0];
    }
    return out;
  }

  Loop loop_;
  ElementFunction function_;
  std::uint32_t input_count_;
  std::array<Stream, 3> streams_ = {};
};

}  // namespace

std::unique_ptr<const Plan> make_elementwise_plan(std::span<const collet_layout_t> operands,
                                                  const ElementFunction& function) {
  return std::make_unique<ElementwisePlan>(operands, function);
}

}  // namespace collet::cpu
