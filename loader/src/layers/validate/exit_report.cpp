// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/exit_report.hpp"

#include <atomic>
#include <map>
#include <string>

#include "bytes_text.hpp"
#include "layers/validate/texts.hpp"
#include "layers/validate/validator.hpp"
#include "log.hpp"
#include "objects.hpp"
#include "plan_cache.hpp"
#include "process.hpp"
#include "text.hpp"

namespace collet::loader::validate {
namespace {

std::atomic<bool> is_on{false};

struct Leak {
  std::uint64_t count = 0;
  std::uint64_t size_bytes = 0;
  std::string tag;
};

// By kind and place of creation.
using Leaks = std::map<std::pair<std::string, Place>, Leak>;

// `add` adds what a live object is.
template <class Object, class Add>
void for_each_live(Add&& add) {
  pool<Object>().for_each_live(add);
}

Leaks find_leaks() {
  Leaks leaks;
  const auto add = [&](const char* kind, const auto& object) {
    ++leaks[{kind, object.made}].count;
  };
  for_each_live<loader::Buffer>([&](const loader::Buffer& buffer) {
    const auto& buffers = Layer::of(buffer.memory).buffers;
    if (const auto facts = buffers.find(buffer.offset_bytes); facts != buffers.end()) {
      Leak& leak = leaks[{"buffer", facts->second.made}];
      ++leak.count;
      leak.size_bytes += buffer.size_bytes;
      leak.tag = facts->second.tag;
    }
  });
  for_each_live<loader::Stream>(
      [&](const loader::Stream& stream) { add("stream", Layer::of(stream.impl)); });
  for_each_live<loader::Event>(
      [&](const loader::Event& event) { add("event", Layer::of(event.impl)); });
  for_each_live<loader::Program>(
      [&](const loader::Program& program) { add("program", Layer::of(program.state->impl)); });
  for_each_live<loader::Kernel>(
      [&](const loader::Kernel& kernel) { add("kernel", Layer::of(kernel.impl)); });
  for_each_live<loader::Plan>([&](const loader::Plan& plan) { add("plan", Layer::of(plan.impl)); });
  return leaks;
}

void report() {
  std::uint64_t objects = 0;
  for (const auto& [what, leak] : find_leaks()) {
    const auto& [kind, place] = what;
    objects += leak.count;
    std::string text = "validate: not released: " + counted(leak.count, kind.c_str());
    if (kind == "buffer") {
      text += " of " + bytes_text(leak.size_bytes) +
              (leak.tag.empty() ? "" : ", tag " + in_quotes(leak.tag));
    }
    log_at_exit(COLLET_LOG_WARN, text + ", made at " + place.text());
  }
  const std::uint64_t hazards = Validator::instance().hazards();
  if (hazards != 0 || objects != 0) {
    log_at_exit(hazards != 0 ? COLLET_LOG_ERROR : COLLET_LOG_WARN,
                "validate: " + counted(hazards, "hazard") + " found, " +
                    counted(objects, "object") + " not released");
  } else {
    log_at_exit(COLLET_LOG_INFO, "validate: nothing found");
  }
}

// Behind all static destructors of the program and of the libraries that use this one, since those
// may release objects.
[[gnu::destructor]] void at_exit() noexcept {
  if (!is_on.load(std::memory_order_relaxed) || forked()) {
    return;
  }
  try {
    report();
  } catch (...) {
    log_at_exit(COLLET_LOG_ERROR, "validate: there is not enough memory for the report");
  }
}

}  // namespace

void report_at_exit() noexcept { is_on.store(true, std::memory_order_relaxed); }

}  // namespace collet::loader::validate
