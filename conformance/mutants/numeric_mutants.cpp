// SPDX-License-Identifier: Apache-2.0
/**
 * Wrong results. The good plugin's device memory must be visible to the host: a host function
 * behind the run changes elements as a careless kernel would have made them.
 */
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "tools.hpp"

namespace collet::mutants {
namespace {

/** A run of a plan, as a host function sees it. */
struct RunNote {
  collet_op_desc_t desc{};
  std::array<collet_layout_t, COLLET_MAX_OPERANDS> layouts{};
  std::array<std::uint8_t*, COLLET_MAX_OPERANDS> data{};

  template <class Value>
  [[nodiscard]] Value* elements(std::size_t operand) const {
    return reinterpret_cast<Value*>(data[operand]);
  }
  [[nodiscard]] std::int64_t count(std::size_t operand) const {
    std::int64_t count = 1;
    for (std::uint32_t i = 0; i < layouts[operand].rank; ++i) count *= layouts[operand].sizes[i];
    return count;
  }
  [[nodiscard]] bool has(collet_op_kind_t kind, collet_type_t out, collet_type_t in) const {
    return desc.kind == kind && layouts[0].type == out && layouts[1].type == in;
  }
};
auto& plans() { return notes<collet_plugin_plan_t, RunNote, 6>(); }

collet_status_t create_and_note(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                                collet_plugin_plan_t** out_plan) {
  const collet_status_t status = good().ops->create(device, desc, out_plan);
  if (status != COLLET_OK) return status;
  RunNote& note = plans().of(*out_plan);
  note.desc = *desc;
  for (std::uint32_t i = 0; i < desc->operand_count; ++i) note.layouts[i] = desc->operands[i];
  return status;
}

/** Enqueues `change` behind a run; it is given what a RunNote has. */
collet_status_t run_and_change(collet_plugin_stream_t* stream, collet_plugin_plan_t* plan,
                               const collet_plugin_operand_t* operands, std::uint32_t count,
                               collet_plugin_memory_t* workspace, std::uint64_t offset,
                               void (*change)(const RunNote& run)) {
  const collet_status_t status =
      good().ops->enqueue(stream, plan, operands, count, workspace, offset);
  if (status != COLLET_OK) return status;
  struct Call {
    RunNote run;
    void (*change)(const RunNote& run);
  };
  auto call = std::make_unique<Call>(Call{plans().of(plan), change});
  for (std::uint32_t i = 0; i < count; ++i) {
    void* pointer = nullptr;
    if (operands[i].memory == nullptr) continue;
    if (good().memory->host_pointer(operands[i].memory, &pointer) != COLLET_OK) return status;
    call->run.data[i] = static_cast<std::uint8_t*>(pointer) + operands[i].offset_bytes;
  }
  return good().stream->host_function(
      stream,
      [](void* data, collet_status_t) {
        const Call& mine = *static_cast<Call*>(data);
        mine.change(mine.run);
      },
      call.release());
}

float as_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace

/** Declares a mutant that changes the elements of a run. */
#define NUMERIC_MUTANT(id, clause, fault, change)                                                  \
  MUTANT(id, clause, fault) {                                                                      \
    plugin.ops.create = create_and_note;                                                           \
    plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace, \
                            auto offset) {                                                         \
      return run_and_change(stream, plan, operands, count, workspace, offset, change);             \
    };                                                                                             \
  }

namespace {

/** As the processor converts: NaN and what does not fit is the least integer. */
void as_the_processor(const RunNote& run) {
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_I32, COLLET_TYPE_F32)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    const float value = run.elements<float>(1)[i];
    if (!(std::fabs(value) < 2147483648.0F)) run.elements<std::int32_t>(0)[i] = INT32_MIN;
  }
}

void nan_is_one(const RunNote& run) {
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_U8, COLLET_TYPE_F32)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    if (std::isnan(run.elements<float>(1)[i])) run.elements<std::uint8_t>(0)[i] = 1;
  }
}

void truncated(const RunNote& run) {
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_BF16, COLLET_TYPE_F32)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    const float value = run.elements<float>(1)[i];
    if (!std::isnan(value)) {
      run.elements<std::uint16_t>(0)[i] = static_cast<std::uint16_t>(bits_of(value) >> 16);
    }
  }
}

void flushed(const RunNote& run) {
  constexpr std::uint16_t kExponent = 0x7C00;
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_F16, COLLET_TYPE_F32)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    std::uint16_t& element = run.elements<std::uint16_t>(0)[i];
    if ((element & kExponent) == 0) element = static_cast<std::uint16_t>(element & 0x8000);
  }
}

void relu_of_nan_is_zero(const RunNote& run) {
  if (!run.has(COLLET_OP_UNARY, COLLET_TYPE_F32, COLLET_TYPE_F32)) return;
  if (run.desc.function != COLLET_UNARY_RELU || run.count(0) != 37) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    float& element = run.elements<float>(0)[i];
    if (std::isnan(element)) element = 0;
  }
}

void nan_loses(const RunNote& run) {
  if (!run.has(COLLET_OP_REDUCE, COLLET_TYPE_F32, COLLET_TYPE_F32)) return;
  if (run.desc.function != COLLET_REDUCTION_MAXIMUM) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    float& element = run.elements<float>(0)[i];
    if (std::isnan(element)) element = 1;
  }
}

void starts_at_zero(const RunNote& run) {
  if (!run.has(COLLET_OP_REDUCE, COLLET_TYPE_F32, COLLET_TYPE_F32)) return;
  if (run.desc.function != COLLET_REDUCTION_MAXIMUM || run.layouts[1].sizes[1] != 40) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    float& element = run.elements<float>(0)[i];
    if (element < 0) element = 0;
  }
}

/** 2048 is the last integer to which f16 can add 1. */
void in_f16(const RunNote& run) {
  constexpr std::uint16_t k2048 = 0x6800;
  if (run.layouts[0].type != COLLET_TYPE_F16 || run.desc.kind == COLLET_OP_COPY) return;
  for (std::int64_t i = 0; i < run.count(0) && run.count(0) < 10; ++i) {
    std::uint16_t& element = run.elements<std::uint16_t>(0)[i];
    if (element > k2048 && run.count(1) == 9000) element = k2048;
  }
}

void narrowed_first(const RunNote& run) {
  constexpr std::uint16_t kInfinity = 0x7C00;
  if (!run.has(COLLET_OP_REDUCE, COLLET_TYPE_F16, COLLET_TYPE_F16)) return;
  if (run.desc.function != COLLET_REDUCTION_MEAN || run.count(1) != 100) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) run.elements<std::uint16_t>(0)[i] = kInfinity;
}

void one_wrong(const RunNote& run) {
  constexpr std::int64_t kAt = 65535;
  if (!run.has(COLLET_OP_UNARY, COLLET_TYPE_F32, COLLET_TYPE_F32) || run.count(0) <= kAt) return;
  float& element = run.elements<float>(0)[kAt];
  element = as_float(bits_of(element) + 64);
}

void inner_tail_lost(const RunNote& run) {
  if (!run.has(COLLET_OP_MATMUL, COLLET_TYPE_F32, COLLET_TYPE_F32) || run.layouts[1].rank != 2)
    return;
  const std::int64_t inner = run.layouts[1].sizes[1];
  const std::int64_t columns = run.layouts[0].sizes[1];
  if (inner != 257) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    const float last = run.elements<float>(1)[i / columns * inner + inner - 1] *
                       run.elements<float>(2)[(inner - 1) * columns + i % columns];
    run.elements<float>(0)[i] -= last;
  }
}

void as_it_is(const RunNote& run) {
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_BOOL, COLLET_TYPE_BOOL)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    run.elements<std::uint8_t>(0)[i] = run.elements<std::uint8_t>(1)[i];
  }
}

void compared_with_one(const RunNote& run) {
  if (!run.has(COLLET_OP_COPY, COLLET_TYPE_I32, COLLET_TYPE_BOOL)) return;
  for (std::int64_t i = 0; i < run.count(0); ++i) {
    run.elements<std::int32_t>(0)[i] = run.elements<std::uint8_t>(1)[i] == 1 ? 1 : 0;
  }
}

}  // namespace

NUMERIC_MUTANT("num1-as-the-processor", "PLUG-NUM-1",
               "f32 to i32 gives the least integer for what does not fit", as_the_processor)
NUMERIC_MUTANT("num1-nan-is-one", "PLUG-NUM-1", "NaN becomes 1 in u8", nan_is_one)
NUMERIC_MUTANT("num2-truncated", "PLUG-NUM-2", "f32 to bf16 cuts the bits off", truncated)
NUMERIC_MUTANT("num2-flushed", "PLUG-NUM-2", "denormals of f16 become 0", flushed)
NUMERIC_MUTANT("num3-relu", "PLUG-NUM-3", "relu of NaN is 0", relu_of_nan_is_zero)
NUMERIC_MUTANT("num3-maximum", "PLUG-NUM-3", "NaN loses a maximum", nan_loses)
NUMERIC_MUTANT("num3-starts-at-zero", "PLUG-NUM-3", "a maximum starts at 0", starts_at_zero)
NUMERIC_MUTANT("num4-in-f16", "PLUG-NUM-4", "f16 accumulates in f16", in_f16)
NUMERIC_MUTANT("num4-narrowed-first", "PLUG-NUM-4", "a mean narrows the sum before it divides",
               narrowed_first)
NUMERIC_MUTANT("num5-one-wrong", "PLUG-NUM-5", "the element at index 65535 is a little off",
               one_wrong)
NUMERIC_MUTANT("num5-inner-tail", "PLUG-NUM-5", "a product leaves out the last inner index",
               inner_tail_lost)
NUMERIC_MUTANT("num6-as-it-is", "PLUG-NUM-6", "a bool is copied as it is", as_it_is)
NUMERIC_MUTANT("num6-compared-with-one", "PLUG-NUM-6", "only the byte 1 is true", compared_with_one)

}  // namespace collet::mutants
