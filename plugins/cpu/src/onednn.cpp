// SPDX-License-Identifier: Apache-2.0
#include "onednn.hpp"

#include <collet/sdk/error.hpp>

#include <array>
#include <atomic>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "text.hpp"

// Of the OpenMP runtime that oneDNN brings along, if it was built with one; so weak.
extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int threads);
}

namespace collet::cpu {
namespace {

/** Keeps oneDNN from starting threads of its own for the calling thread, as long as it lives. */
class SingleThreaded {
 public:
  SingleThreaded() noexcept {
    if (omp_get_max_threads == nullptr || omp_set_num_threads == nullptr) return;
    before_ = omp_get_max_threads();
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~SingleThreaded() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;

 private:
  int before_ = 1;
};

/** Runs `body`, and turns what oneDNN throws into our error. */
template <class Body>
auto translated(const char* what, Body&& body) {
  try {
    return body();
  } catch (const dnnl::error& e) {
    const collet_status_t status = e.status == dnnl_out_of_memory ? COLLET_ERROR_OUT_OF_HOST_MEMORY
                                   : e.status == dnnl_unimplemented ? COLLET_ERROR_UNSUPPORTED
                                                                    : COLLET_ERROR_INTERNAL;
    throw plugin::Error(status, e.status, joined("dnnl_status ", static_cast<int>(e.status)),
                        joined("oneDNN: ", what, ": ", e.what()));
  }
}

/** Lives as long as the process: nothing of oneDNN is torn down at exit. */
const dnnl::engine& engine() {
  static const auto* const kEngine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *kEngine;
}

dnnl::memory::desc matrix(std::int64_t rows, std::int64_t columns, const MatrixStrides& strides) {
  return {{rows, columns}, dnnl::memory::data_type::f32, {strides.row, strides.column}};
}

dnnl::matmul::primitive_desc describe(const ProductShape& shape) {
  using Desc = dnnl::memory::desc;
  const Desc a = matrix(shape.m, shape.k, shape.a);
  const Desc b = matrix(shape.k, shape.n, shape.b);
  const Desc c = matrix(shape.m, shape.n, shape.c);
  const Desc bias = shape.has_bias ? matrix(1, shape.n, {shape.n, 1}) : Desc();
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  // The environment may have set another default.
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  if (shape.beta != 0) {
    dnnl::post_ops post_ops;
    post_ops.append_sum(shape.beta);
    attributes.set_post_ops(post_ops);
  }
#if DNNL_VERSION_MAJOR >= 3
  return shape.has_bias ? dnnl::matmul::primitive_desc(engine(), a, b, bias, c, attributes)
                        : dnnl::matmul::primitive_desc(engine(), a, b, c, attributes);
#else
  return dnnl::matmul::primitive_desc(
      shape.has_bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c), attributes,
      engine());
#endif
}

/** oneDNN's objects for the operands of one run at a time. Rebinding an address is not free. */
class Binding {
 public:
  explicit Binding(const dnnl::matmul::primitive_desc& desc) : stream_(engine()) {
    add(DNNL_ARG_SRC, desc.src_desc());
    add(DNNL_ARG_WEIGHTS, desc.weights_desc());
    add(DNNL_ARG_DST, desc.dst_desc());
    add(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    const dnnl::memory::desc bias = desc.bias_desc();
    if (bias.get_size() != 0) add(DNNL_ARG_BIAS, bias);
  }

  void run(const_dnnl_primitive_t primitive, const ProductOperands& operands) {
    const std::array<const void*, 5> addresses = {operands.a, operands.b, operands.c,
                                                  operands.scratch, operands.bias};
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (addresses[i] == bound_[i]) continue;
      memories_[i].set_data_handle(const_cast<void*>(addresses[i]));
      bound_[i] = addresses[i];
    }
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive, stream_.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()),
        "a matmul failed to run");
  }

 private:
  void add(int argument, const dnnl::memory::desc& desc) {
    memories_.emplace_back(desc, engine(), nullptr);
    arguments_.push_back({argument, memories_.back().get()});
  }

  dnnl::stream stream_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::array<const void*, 5> bound_ = {};
};

std::string version_text(int major, int minor, int patch) {
  return joined("oneDNN ", major, ".", minor, ".", patch);
}

}  // namespace

std::string onednn_runtime_version() {
  const dnnl_version_t& v = *dnnl_version();
  return version_text(v.major, v.minor, v.patch);
}

std::string onednn_built_against() {
  return version_text(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH);
}

struct OneDnnProduct::State {
  /** Bindings at rest. More threads than this at once make some anew. */
  static constexpr std::size_t kSlots = 4;

  explicit State(const ProductShape& shape)
      : desc(describe(shape)), primitive(desc), implementation(desc.impl_info_str()) {}
  ~State() {
    for (auto& slot : slots) delete slot.load(std::memory_order_acquire);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::unique_ptr<Binding> take() {
    for (auto& slot : slots) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (Binding* const binding = slot.exchange(nullptr, std::memory_order_acquire)) {
        return std::unique_ptr<Binding>(binding);
      }
    }
    return std::make_unique<Binding>(desc);
  }

  void give_back(std::unique_ptr<Binding> binding) noexcept {
    for (auto& slot : slots) {
      Binding* expected = nullptr;
      if (slot.compare_exchange_strong(expected, binding.get(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
        static_cast<void>(binding.release());
        return;
      }
    }
  }

  dnnl::matmul::primitive_desc desc;
  dnnl::matmul primitive;
  std::string implementation;
  std::array<std::atomic<Binding*>, kSlots> slots = {};
};

OneDnnProduct::OneDnnProduct(const ProductShape& shape) {
  const SingleThreaded single_threaded;
  state_ = translated("a matmul", [&] { return std::make_unique<State>(shape); });
}

OneDnnProduct::~OneDnnProduct() = default;

void OneDnnProduct::run(const ProductOperands& operands) const {
  const SingleThreaded single_threaded;
  translated("a matmul", [&] {
    std::unique_ptr<Binding> binding = state_->take();
    binding->run(state_->primitive.get(), operands);
    state_->give_back(std::move(binding));
  });
}

std::uint64_t OneDnnProduct::scratch_bytes() const noexcept {
  return state_->desc.scratchpad_desc().get_size();
}

const std::string& OneDnnProduct::implementation() const noexcept { return state_->implementation; }

}  // namespace collet::cpu
