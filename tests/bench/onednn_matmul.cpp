// SPDX-License-Identifier: Apache-2.0
#include "onednn_matmul.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace collet::bench {
namespace {

// The number of threads is the calling thread's property, and Collet's plugin may have changed it.
// Looked up, as oneDNN may have been built with another runtime than OpenMP.
void set_openmp_threads(unsigned threads) {
  using Set = void (*)(int);
  const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set == nullptr) throw std::runtime_error("this oneDNN does not use OpenMP");
  set(static_cast<int>(threads));
}

dnnl::memory::desc square(std::int64_t n) {
  return {{n, n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab};
}

dnnl::primitive make_matmul(const dnnl::engine& engine, std::int64_t n) {
  const dnnl::memory::desc matrix = square(n);
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::matmul(dnnl::matmul::primitive_desc(engine, matrix, matrix, matrix));
#else
  return dnnl::matmul(
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(matrix, matrix, matrix), engine));
#endif
}

}  // namespace

OnednnMatmul::OnednnMatmul(std::int64_t n, float* a, float* b, float* c, unsigned threads)
    : threads_(threads),
      engine_(dnnl::engine::kind::cpu, 0),
      stream_(engine_),
      a_(square(n), engine_, a),
      b_(square(n), engine_, b),
      c_(square(n), engine_, c) {
  // The implementation is chosen for the number of threads there are now.
  set_openmp_threads(threads_);
  primitive_ = make_matmul(engine_, n);
  arguments_ = {{{DNNL_ARG_SRC, a_.get()}, {DNNL_ARG_WEIGHTS, b_.get()}, {DNNL_ARG_DST, c_.get()}}};
}

Batch OnednnMatmul::batch() {
  const Batch run = repeat([this] {
    // Not primitive::execute(), which makes this array anew for each call.
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()),
        "matmul");
  });
  return [this, run](std::uint64_t calls) {
    set_openmp_threads(threads_);
    run(calls);
    stream_.wait();
  };
}

}  // namespace collet::bench
