// SPDX-License-Identifier: Apache-2.0
#include "stream_list.hpp"

#include "stream.hpp"

namespace collet::sim {

void StreamList::push(Ref<Stream> stream) noexcept {
  Stream* const added = stream.detach();
  added->next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  ++size_;
}

Ref<Stream> StreamList::pop() noexcept {
  Stream* const taken = first_;
  if (taken == nullptr) return {};
  first_ = taken->next_;
  if (first_ == nullptr) last_ = nullptr;
  --size_;
  return Ref<Stream>::adopt(taken);
}

Ref<Stream> StreamList::take_first(const std::function<bool(Stream&)>& wants) {
  Stream* before = nullptr;
  for (Stream* stream = first_; stream != nullptr; before = stream, stream = stream->next_) {
    if (!wants(*stream)) continue;
    if (before == nullptr) return pop();
    before->next_ = stream->next_;
    if (last_ == stream) last_ = before;
    --size_;
    return Ref<Stream>::adopt(stream);
  }
  return {};
}

}  // namespace collet::sim
