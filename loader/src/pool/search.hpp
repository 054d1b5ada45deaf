// SPDX-License-Identifier: Apache-2.0
// Finds a block for a buffer: from what its stream has, up to waiting for what others release.
#pragma once

#include "pool/memory_pool.hpp"

namespace collet::loader {

class Search {
 public:
  Search(MemoryPool& pool, const Stream& on, Arena& home, const Fit& fit,
         const BufferRequest& request)
      : pool_(pool), on_(on), home_(home), fit_(fit), request_(request) {}

  // A block that is used, and not counted yet. Throws Error.
  MemoryPool::Place run();

 private:
  // Whose work may be incomplete when a block of it is taken: nobody's, or a stream's for which the
  // asking one is made to wait.
  enum class From { kResting, kBusy };

  [[nodiscard]] bool own();
  [[nodiscard]] bool grow();
  // Moves an unused segment of a resting stream here.
  [[nodiscard]] bool adopt();
  [[nodiscard]] bool borrow(From from);
  // What costs nobody's time.
  [[nodiscard]] bool easily();
  // Frees and waits for what can be had, until there is a block or nothing left to wait for.
  [[nodiscard]] bool under_pressure();
  [[nodiscard]] bool is_ordered_after(Arena& arena, From from) const;

  MemoryPool& pool_;
  const Stream& on_;
  Arena& home_;
  const Fit fit_;
  const BufferRequest& request_;
  MemoryPool::Place found_;
  Refusal refusal_;
};

}  // namespace collet::loader
