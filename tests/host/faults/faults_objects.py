# SPDX-License-Identifier: Apache-2.0
"""Faults of copies, plans, the process and its threads."""

from fault import Edit, fault


def plan_field(name):
    return fault(f"ops1-{name}", "HOST-OPS-1", f"plans that differ in {name} alone are one",
                 Edit("plan_cache.cpp", f"append(key, desc.{name});", ""))


OBJECTS = [
    fault("cpy1-pageable", "HOST-CPY-1", "pageable memory counts as pinned",
          Edit("transfer.cpp", "is_pinned(host, size_bytes, device)", "true")),
    fault("cpy1-was-async", "HOST-CPY-1", "a blocking copy is said to be asynchronous",
          Edit("transfer.cpp", "options.flags == 0 ? 0 : 1", "1")),
    fault("cpy3-waits", "HOST-CPY-3", "copies from pageable memory wait for the stream",
          Edit("transfer.cpp", "can_stage(*on->device, size_bytes)", "false")),
    fault("cpy3-pieces", "HOST-CPY-3", "of a staged copy, the first piece is copied again and again",
          Edit("staging.cpp", "static_cast<const std::byte*>(from) + done",
               "static_cast<const std::byte*>(from)")),
    fault("cpy3-unbounded", "HOST-CPY-3", "what is staged has no limit",
          Edit("pool/device_memory.cpp", "desc.limit_bytes = kStagingBytes;", "")),
    fault("cpy3-greater", "HOST-CPY-3", "a copy of any size is staged",
          Edit("staging.cpp", "size_bytes <= std::min(kMostBytes, traits.max_allocation_bytes)",
               "true")),
    fault("cpy4-silent", "HOST-CPY-4", "a copy that waits is not told",
          Edit("transfer.cpp", 'report_wait(function, "waits for all earlier work of the stream");',
               "")),
    fault("cpy4-place", "HOST-CPY-4", "the place of a wait is not told",
          Edit("sync_report.cpp", "caller_text()", "std::string()")),
    fault("cpy4-allowed", "HOST-CPY-4", "a wait is only told where it is to be refused",
          Edit("sync_report.cpp", "how == SyncReport::kError", "false")),
    fault("cpy4-allocation", "HOST-CPY-4", "an allocation that waits is not told",
          Edit("pool/search.cpp",
               'report_wait("an allocation", "waits for released memory that streams still use");',
               "")),
    fault("cpy4-staged", "HOST-CPY-4", "a copy that does not wait is told",
          Edit("transfer.cpp", "!may_stage", "true")),
    fault("cpy2-never", "HOST-CPY-2", "a copy of pinned memory is never asynchronous",
          Edit("transfer.cpp", "is_pinned(host, size_bytes, device)", "false")),
    fault("cpy2-interior", "HOST-CPY-2", "an address inside a pinned block counts as pageable",
          Edit("pinned_ranges.cpp", "inside <= range.size_bytes", "inside == 0")),
    fault("cpy2-end", "HOST-CPY-2", "a range that leaves a pinned block counts as pinned",
          Edit("pinned_ranges.cpp", "size_bytes <= range.size_bytes - inside", "true")),

    plan_field("kind"),
    plan_field("function"),
    plan_field("axis"),
    plan_field("flags"),
    plan_field("math_mode"),
    plan_field("activation"),
    plan_field("alpha"),
    plan_field("beta"),
    fault("ops1-strides", "HOST-OPS-1", "plans that differ in strides alone are one",
          Edit("plan_cache.cpp", "append(key, layout.strides[axis]);", "")),
    fault("ops1-no-cache", "HOST-OPS-1", "the same description gives another plan",
          Edit("plan_cache.cpp", "by_key_.find(key)", "by_key_.end()",
               after="mutex_);\n  const auto found = "),
          Edit("plan_cache.cpp", "by_key_.find(key)", "by_key_.end()",
               after="mutex_);\n  if (const auto found = ")),
    fault("ops2-reason", "HOST-OPS-2", "the plugin's reason is lost",
          Edit("device.cpp", '" has no native operations: " + ops_reason_',
               'std::string(" has no native operations")')),
    fault("ops2-query", "HOST-OPS-2", "a query of a device without operations fails",
          Edit("ops.cpp", "error.status() != COLLET_ERROR_UNSUPPORTED", "true")),
    fault("ops2-status", "HOST-OPS-2", "an operation that cannot run is an invalid argument",
          Edit("plan_cache.cpp", "COLLET_ERROR_UNSUPPORTED", "COLLET_ERROR_INVALID_ARGUMENT",
               after="throw Error(")),

    fault("prc1-torn-down", "HOST-PRC-1", "handles die before static destructors run",
          Edit("handle.cpp", "taken.fetch_add(kSlabBytes)",
               "(std::atexit([] { munmap(slot_region, kRegionBytes); }), "
               "taken.fetch_add(kSlabBytes))"), is_fatal=True),
    fault("prc2-unnoticed", "HOST-PRC-2", "a fork is not noticed",
          Edit("process.cpp", "process_used.load(std::memory_order_relaxed)", "false")),
    fault("prc2-alive", "HOST-PRC-2", "the parent's handles live on in a forked child",
          Edit("handle.cpp", """static_cast<void>(madvise(slot_region + kSlabBytes, \
kRegionBytes + kGuardBytes - kSlabBytes,
                              MADV_WIPEONFORK));""", "")),
    fault("prc3-reentrant", "HOST-PRC-3", "a host function may copy",
          Edit("transfer.cpp", "inside_callback", "false",
               after="refuse_handle(__func__, src, Kind::kBuffer);")),
    fault("prc3-entry", "HOST-PRC-3", "a host function may make objects",
          Edit("process.cpp", "inside_callback", "false", after="kForkedMessage);\n  }\n  if (")),
    fault("prc3-query", "HOST-PRC-3", "a host function may not query its stream",
          Edit("stream.cpp", "return finish(__func__, *on->device, on->table->query(on->impl));",
               """if (inside_callback) { return refuse_callback(__func__); }
                  return finish(__func__, *on->device, on->table->query(on->impl));""")),
    fault("prc3-release", "HOST-PRC-3", "what a host function releases is given back at once",
          Edit("handle.hpp", "inside_callback", "false",
               after="void destroy(T& object) noexcept {\n    if ("),
          Edit("memory.cpp", "inside_callback", "false",
               after="if (ended == nullptr) {\n    return;\n  }\n  if (")),
    fault("prc4-late", "HOST-PRC-4", "configuration is accepted after the first use",
          Edit("configuration.cpp", "place.state == State::kTaken", "false")),
    fault("prc4-twice", "HOST-PRC-4", "configuration is accepted twice",
          Edit("configuration.cpp", "place.state == State::kSet", "false")),
    fault("prc5-references", "HOST-PRC-5", "threads lose each other's references",
          Edit("handle.hpp", "slot_of(handle)->head.references.fetch_add(1, "
               "std::memory_order_relaxed);",
               """auto& references = slot_of(handle)->head.references;
                  const std::uint32_t seen = references.load();
                  std::this_thread::yield();
                  references.store(seen + 1);"""), is_fatal=True),
]
