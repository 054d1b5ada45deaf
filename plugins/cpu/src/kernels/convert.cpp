// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

template <class Value, class Element>
void load_run(const void* in, std::int64_t stride, std::int64_t n, void* out) {
  const auto* elements = static_cast<const Element*>(in);
  auto* values = static_cast<Value*>(out);
  if (stride == 1) {
    COLLET_CPU_VECTOR
    for (std::int64_t i = 0; i < n; ++i) values[i] = load<Value>(elements[i]);
  } else if (stride == 0) {
    const Value value = load<Value>(elements[0]);
    for (std::int64_t i = 0; i < n; ++i) values[i] = value;
  } else {
    for (std::int64_t i = 0; i < n; ++i) values[i] = load<Value>(elements[i * stride]);
  }
}

template <class Value, class Element>
void store_run(const void* in, std::int64_t n, void* out, std::int64_t stride) {
  const auto* values = static_cast<const Value*>(in);
  auto* elements = static_cast<Element*>(out);
  if (stride == 1) {
    COLLET_CPU_VECTOR
    for (std::int64_t i = 0; i < n; ++i) elements[i] = store<Element>(values[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) elements[i * stride] = store<Element>(values[i]);
  }
}

template <Compute C, collet_type_t Type, class Element>
void add_load(Kernels& table) {
  table.load[C][Type] = load_run<typename ComputeTraits<C>::Type, Element>;
}

template <Compute C>
void add_stores(Kernels& table) {
  using Value = typename ComputeTraits<C>::Type;
  auto& store = table.store[C];
  store[COLLET_TYPE_BOOL] = store_run<Value, Bool>;
  store[COLLET_TYPE_I8] = store_run<Value, std::int8_t>;
  store[COLLET_TYPE_U8] = store_run<Value, std::uint8_t>;
  store[COLLET_TYPE_I16] = store_run<Value, std::int16_t>;
  store[COLLET_TYPE_U16] = store_run<Value, std::uint16_t>;
  store[COLLET_TYPE_I32] = store_run<Value, std::int32_t>;
  store[COLLET_TYPE_U32] = store_run<Value, std::uint32_t>;
  store[COLLET_TYPE_I64] = store_run<Value, std::int64_t>;
  store[COLLET_TYPE_U64] = store_run<Value, std::uint64_t>;
  store[COLLET_TYPE_F16] = store_run<Value, F16>;
  store[COLLET_TYPE_BF16] = store_run<Value, BF16>;
  store[COLLET_TYPE_F32] = store_run<Value, float>;
  store[COLLET_TYPE_F64] = store_run<Value, double>;
}

}  // namespace

void add_convert_kernels(Kernels& table) {
  add_load<kF32, COLLET_TYPE_F16, F16>(table);
  add_load<kF32, COLLET_TYPE_BF16, BF16>(table);
  add_load<kF32, COLLET_TYPE_F32, float>(table);
  add_load<kF64, COLLET_TYPE_F16, F16>(table);
  add_load<kF64, COLLET_TYPE_BF16, BF16>(table);
  add_load<kF64, COLLET_TYPE_F32, float>(table);
  add_load<kF64, COLLET_TYPE_F64, double>(table);
  add_load<kI64, COLLET_TYPE_BOOL, Bool>(table);
  add_load<kI64, COLLET_TYPE_I8, std::int8_t>(table);
  add_load<kI64, COLLET_TYPE_U8, std::uint8_t>(table);
  add_load<kI64, COLLET_TYPE_I16, std::int16_t>(table);
  add_load<kI64, COLLET_TYPE_U16, std::uint16_t>(table);
  add_load<kI64, COLLET_TYPE_I32, std::int32_t>(table);
  add_load<kI64, COLLET_TYPE_U32, std::uint32_t>(table);
  add_load<kI64, COLLET_TYPE_I64, std::int64_t>(table);
  add_load<kU64, COLLET_TYPE_U64, std::uint64_t>(table);
  add_stores<kF32>(table);
  add_stores<kF64>(table);
  add_stores<kI64>(table);
  add_stores<kU64>(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
