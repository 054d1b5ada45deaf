// SPDX-License-Identifier: Apache-2.0
/** Who has used which bytes last. */
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "operation.hpp"
#include "vector_clock.hpp"

namespace collet::sim {

struct ByteRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/** Two operations on common bytes, of which one writes, and which nothing orders. */
struct Conflict {
  std::shared_ptr<const Operation> other;
  bool other_writes;
  /** The first of the common bytes. */
  ByteRange range;
};

/**
 * The last write of each byte, and the reads since that which no later one makes superfluous. Not
 * for several threads.
 */
class AccessMap {
 public:
  /**
   * Notes an access.
   *
   * @param before  What is certain to come before it, itself included.
   * @param out     Gets the conflicts with others, one for each.
   */
  void read(ByteRange range, const std::shared_ptr<const Operation>& by, const VectorClock& before,
            std::vector<Conflict>& out);
  void write(ByteRange range, const std::shared_ptr<const Operation>& by, const VectorClock& before,
             std::vector<Conflict>& out);
  /** Forgets the bytes; `out` gets those accesses that are not certain to be complete. */
  void erase(ByteRange range, const VectorClock& before, std::vector<Conflict>& out);

 private:
  struct Bytes {
    std::uintptr_t end;
    std::shared_ptr<const Operation> write;
    std::vector<std::shared_ptr<const Operation>> reads;
  };
  using Place = std::map<std::uintptr_t, Bytes>::iterator;

  /** Makes an address the border of two entries, if it is inside of one; gives the upper one. */
  Place split(std::uintptr_t address);
  /** Finds what is in conflict with an access to the bytes of an entry. */
  static void collect(const Place& place, bool is_write, const VectorClock& before,
                      std::vector<Conflict>& out);

  /** By their beginnings; they do not overlap. */
  std::map<std::uintptr_t, Bytes> bytes_;
};

}  // namespace collet::sim
