// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cfenv>
#include <thread>

#include "support/catch.hpp"
#include "tensor.hpp"

namespace collet::test {
namespace {

constexpr collet_type_t kF32 = COLLET_TYPE_F32;

/** A product, a reduction and a softmax that are large enough to be divided. */
struct Work {
  explicit Work(std::uint64_t seed) {
    a.fill_random(seed);
    b.fill_random(seed + 1);
  }

  Tensor a{kF32, {160, 160}};
  Tensor b{kF32, {160, 160}};
  Tensor product{kF32, {160, 160}};
  Tensor sums{kF32, {1, 160}};
  Tensor softmax{kF32, {160, 160}};
};

struct Plans {
  Description describe_product{
      COLLET_OP_MATMUL,
      0,
      {layout_of(kF32, {160, 160}), layout_of(kF32, {160, 160}), layout_of(kF32, {160, 160})}};
  Description describe_sums{COLLET_OP_REDUCE,
                            COLLET_REDUCTION_SUM,
                            {layout_of(kF32, {1, 160}), layout_of(kF32, {160, 160})}};
  Description describe_softmax{COLLET_OP_SOFTMAX,
                               COLLET_SOFTMAX_PLAIN,
                               {layout_of(kF32, {160, 160}), layout_of(kF32, {160, 160})}};
};

/** The plans themselves are shared by threads; workspaces are not. */
class Runner {
 public:
  explicit Runner(const Plans& plans)
      : product_(plans.describe_product),
        sums_(plans.describe_sums),
        softmax_(plans.describe_softmax) {}

  bool run(Work& work, DeviceMemory& workspace) const {
    const InlineStream stream;
    const auto enqueue = [&](const TestPlan& plan, std::vector<collet_plugin_operand_t> operands) {
      return cpu().ops->enqueue(stream.handle(), plan.handle(), operands.data(),
                                static_cast<std::uint32_t>(operands.size()), workspace.handle(),
                                0) == COLLET_OK;
    };
    return enqueue(product_, {work.product.operand(), work.a.operand(), work.b.operand()}) &&
           enqueue(sums_, {work.sums.operand(), work.product.operand()}) &&
           enqueue(softmax_, {work.softmax.operand(), work.product.operand()}) &&
           cpu().stream->synchronize(stream.handle(), COLLET_TIMEOUT_INFINITE) == COLLET_OK;
  }

 private:
  TestPlan product_;
  TestPlan sums_;
  TestPlan softmax_;
};

}  // namespace

TEST_CASE("PLUG-OPS plans run on several threads at once, with the same bits as on one") {
  Plans plans;
  plans.describe_product->alpha = 1;
  const Runner runner(plans);
  const std::uint64_t workspace_bytes = support_of(plans.describe_product).workspace_bytes;
  constexpr int kThreads = 4;
  constexpr int kRounds = 20;

  std::vector<std::vector<std::byte>> expected;
  std::vector<std::unique_ptr<Work>> works;
  for (int i = 0; i < kThreads; ++i) {
    works.push_back(std::make_unique<Work>(static_cast<std::uint64_t>(10 * i)));
    DeviceMemory workspace(workspace_bytes);
    REQUIRE(runner.run(*works.back(), workspace));
    expected.push_back(works.back()->softmax.bytes());
  }

  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      DeviceMemory workspace(workspace_bytes);
      for (int round = 0; round < kRounds; ++round) {
        const bool ran = runner.run(*works[i], workspace);
        if (!ran || works[i]->softmax.bytes() != expected[i]) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("PLUG-OPS a plan that is destroyed still completes what was enqueued") {
  Work work(1);
  collet_stream_desc_t desc = {};
  desc.base = {COLLET_STRUCT_STREAM_DESC, sizeof desc, nullptr};
  desc.flags = COLLET_STREAM_BACKGROUND;
  collet_plugin_stream_t* stream = nullptr;
  REQUIRE(cpu().stream->create(cpu().device, &desc, &stream) == COLLET_OK);

  // Holds the stream until the plan is gone.
  std::atomic<bool> gate{false};
  REQUIRE(cpu().stream->host_function(
              stream,
              [](void* opened, collet_status_t) {
                while (!static_cast<std::atomic<bool>*>(opened)->load()) std::this_thread::yield();
              },
              &gate) == COLLET_OK);
  {
    const TestPlan plan(Description(COLLET_OP_UNARY, COLLET_UNARY_NEGATE,
                                    {work.softmax.layout(), work.a.layout()}));
    const collet_plugin_operand_t operands[] = {work.softmax.operand(), work.a.operand()};
    REQUIRE(cpu().ops->enqueue(stream, plan.handle(), operands, 2, nullptr, 0) == COLLET_OK);
  }
  gate = true;
  REQUIRE(cpu().stream->synchronize(stream, COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  cpu().stream->destroy(stream);
  CHECK(difference(work.softmax, [&](const Index& i) { return -work.a.get(i); }) == kNoDifference);
}

TEST_CASE("PLUG-NUM operations leave the caller's floating-point environment as it was") {
  Plans plans;
  plans.describe_product->alpha = 1;
  const Runner runner(plans);
  Work work(3);
  DeviceMemory workspace(support_of(plans.describe_product).workspace_bytes);
  fenv_t before;
  fenv_t after;
  REQUIRE(fegetenv(&before) == 0);
  REQUIRE(runner.run(work, workspace));
  REQUIRE(fegetenv(&after) == 0);
  CHECK(fegetround() == FE_TONEAREST);
#if defined(__x86_64__)
  // Modes, without the flags of what happened.
  constexpr unsigned kModes = 0xffc0;
  CHECK((before.__mxcsr & kModes) == (after.__mxcsr & kModes));
#endif
}

}  // namespace collet::test
