// SPDX-License-Identifier: Apache-2.0
#include "stream_list.hpp"

#include "stream.hpp"

namespace collet::sim {

void StreamList::push(Ref<Stream> stream) noexcept {
  Stream* const added = stream.detach();
  added->next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
}

Ref<Stream> StreamList::pop() noexcept {
  Stream* const taken = first_;
  if (taken == nullptr) return {};
  first_ = taken->next_;
  if (first_ == nullptr) last_ = nullptr;
  return Ref<Stream>::adopt(taken);
}

}  // namespace collet::sim
