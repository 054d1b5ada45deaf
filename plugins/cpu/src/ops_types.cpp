// SPDX-License-Identifier: Apache-2.0
#include "ops_types.hpp"

#include <iterator>

namespace collet::cpu {
namespace {

struct TypeFacts {
  const char* name;
  std::int64_t size;
  Compute compute;
};

// Indexed by collet_type_t.
constexpr TypeFacts kFacts[kTypeCount] = {
    {"?", 0, kI64},   {"bool", 1, kI64}, {"i8", 1, kI64},  {"u8", 1, kI64},  {"i16", 2, kI64},
    {"u16", 2, kI64}, {"i32", 4, kI64},  {"u32", 4, kI64}, {"i64", 8, kI64}, {"u64", 8, kU64},
    {"f16", 2, kF32}, {"bf16", 2, kF32}, {"f32", 4, kF32}, {"f64", 8, kF64},
};

const TypeFacts& facts(collet_type_t type) noexcept {
  return kFacts[static_cast<std::uint32_t>(type) < kTypeCount ? type : COLLET_TYPE_NONE];
}

}  // namespace

std::int64_t type_size(collet_type_t type) noexcept { return facts(type).size; }

const char* type_name(collet_type_t type) noexcept { return facts(type).name; }

bool is_float(collet_type_t type) noexcept {
  return type >= COLLET_TYPE_F16 && type <= COLLET_TYPE_F64;
}

Compute compute_of(collet_type_t type) noexcept { return facts(type).compute; }

Compute running_of(Compute compute) noexcept { return compute == kF32 ? kF64 : compute; }

collet_type_t element_of(Compute compute) noexcept {
  constexpr collet_type_t kElements[] = {COLLET_TYPE_F32, COLLET_TYPE_F64, COLLET_TYPE_I64,
                                         COLLET_TYPE_U64};
  static_assert(std::size(kElements) == kComputeCount);
  return kElements[compute];
}

}  // namespace collet::cpu
