// SPDX-License-Identifier: Apache-2.0
#include "math.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

template <Compute C, class Function>
void zip(const void* a, const void* b, void* out, std::int64_t n) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(a);
  const auto* y = static_cast<const Value*>(b);
  auto* z = static_cast<Value*>(out);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) z[i] = Function::of(x[i], y[i]);
}

// Integers wrap: they are computed as unsigned.
template <class T>
using Wrapping = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;

struct Add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Subtract {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};
// Integers truncate; by zero they give zero, and the least by -1 wraps: a processor would trap.
struct Divide {
  static float of(float a, float b) { return a / b; }
  static double of(double a, double b) { return a / b; }
  static std::uint64_t of(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : a / b; }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    if (b == 0) return 0;
    return b == -1 ? Subtract::of(std::int64_t{0}, a) : a / b;
  }
};
// A NaN on either side is the result.
struct Maximum {
  template <class T>
  static T of(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Minimum {
  template <class T>
  static T of(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
// Integers wrap; a negative exponent gives the reciprocal, truncated (of zero: zero).
struct Power {
  static float of(float a, float b) { return __builtin_powf(a, b); }
  static double of(double a, double b) { return __builtin_pow(a, b); }
  static std::uint64_t of(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base *= base) result *= (exponent & 1) != 0 ? base : 1;
    return result;
  }
  static std::int64_t of(std::int64_t base, std::int64_t exponent) {
    const auto unsigned_exponent = static_cast<std::uint64_t>(exponent);
    if (exponent >= 0 || base == 1 || base == -1) {
      // The parity of a negative exponent is all that matters to 1 and -1.
      return static_cast<std::int64_t>(of(static_cast<std::uint64_t>(base), unsigned_exponent));
    }
    return 0;
  }
};

template <class Predicate>
struct Compare {
  template <class T>
  static T of(T a, T b) {
    return Predicate::holds(a, b) ? T{1} : T{0};
  }
};
struct Equal {
  template <class T>
  static bool holds(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  static bool holds(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
  static bool holds(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool holds(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool holds(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool holds(T a, T b) {
    return a >= b;
  }
};

template <Compute C>
void add_for(Kernels& table) {
  auto& binary = table.binary[C];
  binary[COLLET_BINARY_ADD] = zip<C, Add>;
  binary[COLLET_BINARY_SUBTRACT] = zip<C, Subtract>;
  binary[COLLET_BINARY_MULTIPLY] = zip<C, Multiply>;
  binary[COLLET_BINARY_DIVIDE] = zip<C, Divide>;
  binary[COLLET_BINARY_MAXIMUM] = zip<C, Maximum>;
  binary[COLLET_BINARY_MINIMUM] = zip<C, Minimum>;
  binary[COLLET_BINARY_POWER] = zip<C, Power>;
  binary[COLLET_BINARY_EQUAL] = zip<C, Compare<Equal>>;
  binary[COLLET_BINARY_NOT_EQUAL] = zip<C, Compare<NotEqual>>;
  binary[COLLET_BINARY_LESS] = zip<C, Compare<Less>>;
  binary[COLLET_BINARY_LESS_EQUAL] = zip<C, Compare<LessEqual>>;
  binary[COLLET_BINARY_GREATER] = zip<C, Compare<Greater>>;
  binary[COLLET_BINARY_GREATER_EQUAL] = zip<C, Compare<GreaterEqual>>;
}

}  // namespace

void add_binary_kernels(Kernels& table) {
  add_for<kF32>(table);
  add_for<kF64>(table);
  add_for<kI64>(table);
  add_for<kU64>(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
