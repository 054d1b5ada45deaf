// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

namespace collet::bench {

Device open_device(const std::string& backend) {
  try {
    return Device::open(backend + ":0");
  } catch (const Error& error) {
    if (error.status() == COLLET_ERROR_NO_SUCH_DEVICE ||
        error.status() == COLLET_ERROR_UNAVAILABLE) {
      throw Absent(error.what());
    }
    throw;
  }
}

BoundPlan::BoundPlan(Stream stream, Plan plan, std::initializer_list<TensorView> operands)
    : stream_(std::move(stream)), plan_(std::move(plan)), tensors_(operands) {
  for (const TensorView& tensor : tensors_) {
    operands_.push_back({tensor.buffer.get(), tensor.offset_bytes, {}});
  }
  const std::uint64_t workspace_bytes = plan_.support().workspace_bytes;
  if (workspace_bytes > 0) workspace_ = stream_.allocate(workspace_bytes);
}

Batch BoundPlan::batch() const {
  return commands(stream_, [this] {
    return collet_stream_run(stream_.get(), plan_.get(), operands_.data(),
                             static_cast<std::uint32_t>(operands_.size()), workspace_.get(), 0);
  });
}

TensorView make_tensor(const Stream& stream, std::initializer_list<std::int64_t> sizes,
                       float value) {
  TensorView tensor = TensorView::allocate(stream, COLLET_TYPE_F32, sizes);
  stream.fill(tensor.origin(), static_cast<std::uint64_t>(tensor.layout.element_count()), value);
  return tensor;
}

float* host_pointer(const TensorView& tensor) {
  void* pointer = nullptr;
  check(collet_buffer_host_pointer(tensor.buffer.get(), &pointer));
  return static_cast<float*>(pointer);
}

}  // namespace collet::bench
