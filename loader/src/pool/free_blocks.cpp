// SPDX-License-Identifier: Apache-2.0
#include "pool/free_blocks.hpp"

#include <bit>

namespace collet::loader {
namespace {

// A block that is not split for smaller requests may still serve one that nearly fills it.
constexpr std::uint64_t kUnsplitRestBytes = std::uint64_t{20} << 20;

bool serves(const Block& block, const Fit& fit) noexcept {
  if (block.segment->alignment_bytes < fit.alignment_bytes) {
    return false;
  }
  const std::uint64_t needed = padding(block, fit.alignment_bytes) + fit.size_bytes;
  if (block.size_bytes < needed) {
    return false;
  }
  if (block.size_bytes <= fit.max_split_bytes) {
    return true;
  }
  return fit.size_bytes > fit.max_split_bytes && block.size_bytes - needed <= kUnsplitRestBytes;
}

}  // namespace

std::uint64_t padding(const Block& block, std::uint64_t alignment_bytes) noexcept {
  return -block.offset_bytes & (alignment_bytes - 1);
}

FreeBlocks::FreeBlocks(std::uint64_t unit_bytes) noexcept
    : unit_shift_(std::countr_zero(unit_bytes)) {}

void FreeBlocks::insert(Block& block) noexcept {
  block.state = BlockState::kFree;
  const std::uint64_t list = units(block.size_bytes);
  if (list >= kExact) {
    large_.insert(block);
    return;
  }
  exact_[list].push_front(block);
  filled_[list / 64] |= std::uint64_t{1} << list % 64;
}

void FreeBlocks::erase(Block& block) noexcept {
  const std::uint64_t list = units(block.size_bytes);
  if (list >= kExact) {
    large_.erase(large_.iterator_to(block));
    return;
  }
  exact_[list].erase(exact_[list].iterator_to(block));
  if (exact_[list].empty()) {
    filled_[list / 64] &= ~(std::uint64_t{1} << list % 64);
  }
}

std::uint64_t FreeBlocks::next_list(std::uint64_t start) const noexcept {
  for (std::uint64_t word = start / 64; word < filled_.size(); ++word) {
    const std::uint64_t from =
        word == start / 64 ? ~std::uint64_t{0} << start % 64 : ~std::uint64_t{0};
    if (const std::uint64_t bits = filled_[word] & from; bits != 0) {
      return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
    }
  }
  return kExact;
}

Block* FreeBlocks::find_exact(const Fit& fit) noexcept {
  for (std::uint64_t list = units(fit.size_bytes); list < kExact; ++list) {
    list = next_list(list);
    if (list == kExact) {
      break;
    }
    for (Block& block : exact_[list]) {
      if (serves(block, fit)) {
        return &block;
      }
    }
  }
  return nullptr;
}

Block* FreeBlocks::find_large(const Fit& fit) noexcept {
  Block least;
  least.size_bytes = fit.size_bytes;
  for (auto block = large_.lower_bound(
           least, [](const Block&a, const Block&b) { return a.size_bytes < b.size_bytes; });
       block != large_.end(); ++block) {
    if (serves(*block, fit)) {
      return &*block;
    }
  }
  return nullptr;
}

Block* FreeBlocks::find(const Fit& fit) noexcept {
  Block* block = find_exact(fit);
  return block != nullptr ? block : find_large(fit);
}

std::uint64_t FreeBlocks::largest_bytes() const noexcept {
  if (!large_.empty()) {
    return large_.rbegin()->size_bytes;
  }
  for (std::uint64_t word = filled_.size(); word-- > 0;) {
    if (filled_[word] != 0) {
      const auto list =
          word * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(filled_[word]));
      return list << unit_shift_;
    }
  }
  return 0;
}

}  // namespace collet::loader
