// SPDX-License-Identifier: Apache-2.0
// The functions of collet/memory_history.h.
#include <collet/memory_history.h>

#include "descriptor.hpp"
#include "history/history_file.hpp"
#include "process.hpp"

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_memory_history_start(const collet_memory_history_desc_t* desc) {
  return guarded(__func__, [&] {
    require_entry();
    const auto own = read_optional(desc, COLLET_STRUCT_MEMORY_HISTORY_DESC, "desc");
    check_flags(own.flags, COLLET_MEMORY_HISTORY_STACKS, "desc.flags");
    MemoryHistory::instance().start(own.flags != 0, own.capacity_events);
  });
}

collet_status_t collet_memory_history_stop(void) {
  return guarded(__func__, [&] {
    require_entry();
    MemoryHistory::instance().stop();
  });
}

collet_status_t collet_memory_history_save(const char* path) {
  return guarded(__func__, [&] {
    require_entry();
    require(path, "path");
    save_history(MemoryHistory::instance().snapshot(), path);
  });
}
