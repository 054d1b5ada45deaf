// SPDX-License-Identifier: Apache-2.0
#include "pool/memory_report.hpp"

#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bytes_text.hpp"
#include "pool/kind_name.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

using Json = nlohmann::ordered_json;

collet_memory_count_t count_of(const PoolSnapshot& snapshot, Measure which) noexcept {
  return {at(snapshot.current, which), at(snapshot.peak, which), at(snapshot.total, which)};
}

collet_memory_count_t count_of(const Count& count) noexcept {
  return {count.current, count.peak, count.total};
}

std::string row(const char* name, const std::string& now, const std::string& peak,
                const std::string& total) {
  char text[128];
  std::snprintf(text, sizeof text, " %-12s %12s %12s %12s\n", name, now.c_str(), peak.c_str(),
                total.c_str());
  return text;
}

std::string bytes_row(const char* name, const collet_memory_count_t& count) {
  return row(name, bytes_text(count.current), bytes_text(count.peak), bytes_text(count.total));
}

std::string number_row(const char* name, const collet_memory_count_t& count) {
  return row(name, std::to_string(count.current), std::to_string(count.peak),
             std::to_string(count.total));
}

std::string pool_text(MemoryPool& pool) {
  const collet_memory_statistics_t now = statistics_of(pool.snapshot());
  std::string text = row("", "now", "peak", "total") + bytes_row("requested", now.requested_bytes) +
                     bytes_row("allocated", now.allocated_bytes) +
                     bytes_row("active", now.active_bytes) +
                     bytes_row("reserved", now.reserved_bytes) +
                     number_row("buffers", now.buffers) + number_row("segments", now.segments);
  char line[160];
  std::snprintf(line, sizeof line,
                " free between live buffers %s, largest free %s, fragmentation %.0f %%\n",
                bytes_text(now.split_bytes).c_str(), bytes_text(now.largest_free_bytes).c_str(),
                now.fragmentation * 100);
  text += line;
  text += " retries " + std::to_string(now.retries) + ", out of memory " +
          std::to_string(now.out_of_memory) + ", limit " +
          (now.limit_bytes == 0 ? "none" : bytes_text(now.limit_bytes)) + "\n settings " +
          text_of(pool.settings()) + "\n";
  if (const auto native = pool.source().native_info()) {
    text += " the device's pool has " + bytes_text(native->reserved_bytes) + ", " +
            bytes_text(native->used_bytes) + " of it allocated\n";
  }
  for (const auto& [name, bytes] : pool.users()) {
    text += "   " + bytes_text(bytes) + "  " + escaped(name) + "\n";
  }
  return text;
}

Json count_json(const collet_memory_count_t& count) {
  return {{"current", count.current}, {"peak", count.peak}, {"total", count.total}};
}

Json pool_json(MemoryPool& pool) {
  const collet_memory_statistics_t now = statistics_of(pool.snapshot());
  Json users = Json::array();
  for (const auto& [name, bytes] : pool.users()) {
    users.push_back({{"tag", name}, {"bytes", bytes}});
  }
  Json json = {{"kind", kMemoryKindNames[pool.kind()]},
               {"requested_bytes", count_json(now.requested_bytes)},
               {"allocated_bytes", count_json(now.allocated_bytes)},
               {"active_bytes", count_json(now.active_bytes)},
               {"reserved_bytes", count_json(now.reserved_bytes)},
               {"buffers", count_json(now.buffers)},
               {"segments", count_json(now.segments)},
               {"split_bytes", now.split_bytes},
               {"largest_free_bytes", now.largest_free_bytes},
               {"fragmentation", now.fragmentation},
               {"retries", now.retries},
               {"out_of_memory", now.out_of_memory},
               {"limit_bytes", now.limit_bytes == 0 ? Json(nullptr) : Json(now.limit_bytes)},
               {"settings", text_of(pool.settings())},
               {"users", users}};
  if (const auto native = pool.source().native_info()) {
    json["device_pool"] = {{"reserved_bytes", native->reserved_bytes},
                           {"used_bytes", native->used_bytes}};
  }
  return json;
}

}  // namespace

collet_memory_statistics_t statistics_of(const PoolSnapshot& snapshot) noexcept {
  collet_memory_statistics_t result{};
  result.requested_bytes = count_of(snapshot, Measure::kRequested);
  result.allocated_bytes = count_of(snapshot, Measure::kAllocated);
  result.active_bytes = count_of(snapshot, Measure::kActive);
  result.reserved_bytes = count_of(snapshot.reserved);
  result.buffers = count_of(snapshot, Measure::kBuffers);
  result.segments = count_of(snapshot.segments);
  result.split_bytes = snapshot.split_bytes;
  result.largest_free_bytes = snapshot.largest_free_bytes;
  const std::uint64_t free_bytes = result.reserved_bytes.current - result.active_bytes.current;
  if (free_bytes != 0) {
    result.fragmentation =
        1 - static_cast<double>(snapshot.largest_free_bytes) / static_cast<double>(free_bytes);
  }
  result.retries = snapshot.retries;
  result.out_of_memory = snapshot.out_of_memory;
  result.limit_bytes = snapshot.limit_bytes == UINT64_MAX ? 0 : snapshot.limit_bytes;
  return result;
}

std::string report_text(const AllocatorState& allocator) {
  std::string text;
  for (std::size_t kind = 0; kind < std::size(kMemoryKindNames); ++kind) {
    if (MemoryPool* pool = allocator.find_pool(kind)) {
      text += std::string(allocator.device().label()) + ", allocator " +
              in_quotes(allocator.name()) + ": " + kMemoryKindNames[kind] + " memory\n" +
              pool_text(*pool);
    }
  }
  return text.empty() ? std::string(allocator.device().label()) + ", allocator " +
                            in_quotes(allocator.name()) + ": nothing was allocated\n"
                      : text;
}

std::string report_json(const AllocatorState& allocator) {
  Json pools = Json::array();
  for (std::size_t kind = 0; kind < std::size(kMemoryKindNames); ++kind) {
    if (MemoryPool* pool = allocator.find_pool(kind)) {
      pools.push_back(pool_json(*pool));
    }
  }
  const Json report = {{"device", allocator.device().properties.id},
                       {"allocator", allocator.name()},
                       {"memory", pools}};
  // Names are the host's, and may be no UTF-8.
  return report.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace collet::loader
