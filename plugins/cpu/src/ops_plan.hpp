// SPDX-License-Identifier: Apache-2.0
/** Plans: an operation that is ready to run, and the functions that make each kind. */
#pragma once

#include <collet/ops.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "executor.hpp"
#include "text.hpp"

namespace collet::cpu {

/** What a run binds to a plan. */
struct Run {
  Executor& executor;
  /** The element of index 0 of each operand; for an immediate, its value in its own type. */
  void* const* operands;
  void* workspace;
};

/** An operation on fixed layouts. Immutable: many threads may run one at a time. */
class Plan {
 public:
  Plan(std::string implementation, std::uint64_t workspace_bytes)
      : implementation_(std::move(implementation)), workspace_bytes_(workspace_bytes) {}
  virtual ~Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  virtual void run(const Run& run) const = 0;

  /** The name of what does the work, for people. */
  [[nodiscard]] const std::string& implementation() const noexcept { return implementation_; }
  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept { return workspace_bytes_; }

 private:
  std::string implementation_;
  std::uint64_t workspace_bytes_;
};

/** Elements below which a command is not worth a second thread. */
inline constexpr std::uint64_t kParallelGrain = 32768;

/** The name under which our own loops are reported. */
inline constexpr const char* kOwnLoops = "collet loops";

/**
 * Makes the plan of a description.
 *
 * @param threads  The budget that products are divided for: the results of MATMUL may depend on
 *                 it, those of other kinds do not.
 *
 * Throws UNSUPPORTED with the reason. What the makers of the single kinds are given has only
 * types that exist, and no packed layouts.
 */
[[nodiscard]] std::unique_ptr<const Plan> make_plan(const collet_op_desc_t& desc, unsigned threads);

/** FILL and COPY: the second operand's elements, converted, in the first. */
[[nodiscard]] std::unique_ptr<const Plan> make_copy_plan(const collet_layout_t& out,
                                                         const collet_layout_t& in);
[[nodiscard]] std::unique_ptr<const Plan> make_unary_plan(const collet_op_desc_t& desc);
[[nodiscard]] std::unique_ptr<const Plan> make_binary_plan(const collet_op_desc_t& desc);
[[nodiscard]] std::unique_ptr<const Plan> make_reduce_plan(const collet_op_desc_t& desc);
[[nodiscard]] std::unique_ptr<const Plan> make_softmax_plan(const collet_op_desc_t& desc);
[[nodiscard]] std::unique_ptr<const Plan> make_matmul_plan(const collet_op_desc_t& desc,
                                                           unsigned threads);

/** Throws UNSUPPORTED with that reason. */
[[noreturn]] void refuse(const std::string& why);

}  // namespace collet::cpu
