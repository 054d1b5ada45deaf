// SPDX-License-Identifier: Apache-2.0
#include "transfer_options.hpp"

#include "descriptor.hpp"
#include "pinned_ranges.hpp"

namespace collet::loader {

TransferOptions read_transfer_options(const Device& device, const void* host,
                                      std::uint64_t size_bytes,
                                      const collet_transfer_desc_t* desc) {
  if (desc == nullptr) {
    return {};
  }
  const auto own = read_descriptor(desc, COLLET_STRUCT_TRANSFER_DESC, "desc");
  check_flags(own.flags, COLLET_TRANSFER_NON_BLOCKING, "desc.flags");
  const bool asked = (own.flags & COLLET_TRANSFER_NON_BLOCKING) != 0 && size_bytes != 0;
  const bool pinned = asked && is_pinned(host, size_bytes, device);
  return {pinned ? static_cast<std::uint32_t>(COLLET_TRANSFER_NON_BLOCKING) : 0U,
          own.timeout_ns == 0 ? COLLET_TIMEOUT_INFINITE : own.timeout_ns, asked && !pinned};
}

}  // namespace collet::loader
