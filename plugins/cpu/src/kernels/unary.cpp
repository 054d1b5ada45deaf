// SPDX-License-Identifier: Apache-2.0
#include "math.hpp"

namespace collet::cpu::COLLET_CPU_ISA {
namespace {

template <Compute C, class Function>
void map(const void* in, void* out, std::int64_t n) {
  using Value = typename ComputeTraits<C>::Type;
  const auto* x = static_cast<const Value*>(in);
  auto* y = static_cast<Value*>(out);
  COLLET_CPU_VECTOR
  for (std::int64_t i = 0; i < n; ++i) y[i] = Function::of(x[i]);
}

// Integers wrap, as if they were unsigned.
struct Negate {
  static float of(float x) { return -x; }
  static double of(double x) { return -x; }
  static std::uint64_t of(std::uint64_t x) { return 0 - x; }
  static std::int64_t of(std::int64_t x) {
    return static_cast<std::int64_t>(of(static_cast<std::uint64_t>(x)));
  }
};
struct Abs {
  static float of(float x) { return __builtin_fabsf(x); }
  static double of(double x) { return __builtin_fabs(x); }
  static std::uint64_t of(std::uint64_t x) { return x; }
  static std::int64_t of(std::int64_t x) { return x < 0 ? Negate::of(x) : x; }
};
struct Square {
  static float of(float x) { return x * x; }
  static double of(double x) { return x * x; }
  static std::uint64_t of(std::uint64_t x) { return x * x; }
  static std::int64_t of(std::int64_t x) {
    return static_cast<std::int64_t>(of(static_cast<std::uint64_t>(x)));
  }
};
struct Relu {
  template <class T>
  static T of(T x) {
    return x < T{0} ? T{0} : x;
  }
};
struct Exp {
  template <class T>
  static T of(T x) {
    return exponential(x);
  }
};
struct Log {
  template <class T>
  static T of(T x) {
    return logarithm(x);
  }
};
struct Sqrt {
  template <class T>
  static T of(T x) {
    return square_root(x);
  }
};
struct Rsqrt {
  template <class T>
  static T of(T x) {
    return T{1} / square_root(x);
  }
};
struct Reciprocal {
  template <class T>
  static T of(T x) {
    return T{1} / x;
  }
};
struct Tanh {
  template <class T>
  static T of(T x) {
    return hyperbolic_tangent(x);
  }
};
struct Sigmoid {
  template <class T>
  static T of(T x) {
    return sigmoid(x);
  }
};
struct Gelu {
  template <class T>
  static T of(T x) {
    return gelu(x);
  }
};

template <Compute C>
void add_for_all(Kernels& table) {
  auto& unary = table.unary[C];
  unary[COLLET_UNARY_NEGATE] = map<C, Negate>;
  unary[COLLET_UNARY_ABS] = map<C, Abs>;
  unary[COLLET_UNARY_SQUARE] = map<C, Square>;
  unary[COLLET_UNARY_RELU] = map<C, Relu>;
}

template <Compute C>
void add_for_floats(Kernels& table) {
  auto& unary = table.unary[C];
  unary[COLLET_UNARY_EXP] = map<C, Exp>;
  unary[COLLET_UNARY_LOG] = map<C, Log>;
  unary[COLLET_UNARY_SQRT] = map<C, Sqrt>;
  unary[COLLET_UNARY_RSQRT] = map<C, Rsqrt>;
  unary[COLLET_UNARY_RECIPROCAL] = map<C, Reciprocal>;
  unary[COLLET_UNARY_TANH] = map<C, Tanh>;
  unary[COLLET_UNARY_SIGMOID] = map<C, Sigmoid>;
  unary[COLLET_UNARY_GELU] = map<C, Gelu>;
}

}  // namespace

void add_unary_kernels(Kernels& table) {
  add_for_all<kF32>(table);
  add_for_all<kF64>(table);
  add_for_all<kI64>(table);
  add_for_all<kU64>(table);
  add_for_floats<kF32>(table);
  add_for_floats<kF64>(table);
}

}  // namespace collet::cpu::COLLET_CPU_ISA
