// SPDX-License-Identifier: Apache-2.0
/**
 * A plugin that stands in front of a good one and breaks one clause.
 *
 * COLLET_MUTANT_OVER is the path of the good plugin, COLLET_MUTANT the id of the mutant; "0"
 * changes nothing.
 */
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "mutant.hpp"

namespace collet::mutants {
namespace {

const collet_host_t* judge = nullptr;
Good the_good;
const Mutant* the_mutant = nullptr;

template <class Service>
const Service& judge_service(collet_host_interface_t id) {
  return *static_cast<const Service*>(judge->get_interface(judge, id));
}

// ---- the host that the good plugin sees
// ----------------------------------------------------------

void write_log(const collet_host_t*, collet_log_level_t level, const char* text) {
  judge_service<collet_host_log_t>(COLLET_HOST_LOG_V1).write(judge, level, text);
}

std::uint32_t is_log_enabled(const collet_host_t*, collet_log_level_t level) {
  return judge_service<collet_host_log_t>(COLLET_HOST_LOG_V1).enabled(judge, level);
}

void take_report(const collet_host_t*, collet_status_t status, std::int64_t native_code,
                 const char* native_name, const char* message) {
  const ReportFunction hook = mutated().report;
  (hook == nullptr ? report : hook)(status, native_code, native_name, message);
}

const char* get_option(const collet_host_t*, const char* name) {
  return judge_service<collet_host_options_t>(COLLET_HOST_OPTIONS_V1).get(judge, name);
}

const void* get_interface(const collet_host_t*, collet_host_interface_t id) {
  static const collet_host_log_t kLog = {sizeof(kLog), 0, write_log, is_log_enabled};
  static const collet_host_error_t kError = {sizeof(kError), 0, take_report};
  static const collet_host_options_t kOptions = {sizeof(kOptions), 0, get_option};
  switch (id) {
    case COLLET_HOST_LOG_V1:
      return &kLog;
    case COLLET_HOST_ERROR_V1:
      return &kError;
    case COLLET_HOST_OPTIONS_V1:
      return &kOptions;
    default:
      return nullptr;
  }
}

// ---- the tables
// ----------------------------------------------------------------------------------

void mutate() {
  if (the_mutant != nullptr) the_mutant->apply(mutated());
}

template <class Table>
void take_table(collet_plugin_device_t* device, collet_interface_t id, const Table*& good_table,
                Table& table) {
  const void* found = nullptr;
  const char* reason = nullptr;
  if (the_good.root->device_interface(device, id, &found, &reason) != COLLET_OK) return;
  good_table = static_cast<const Table*>(found);
  table = *good_table;
}

/** All devices of a plugin have the same tables. */
void take_tables(collet_plugin_device_t* device) {
  Plugin& plugin = mutated();
  take_table(device, COLLET_INTERFACE_MEMORY_V1, the_good.memory, plugin.memory);
  take_table(device, COLLET_INTERFACE_STREAM_V1, the_good.stream, plugin.stream);
  take_table(device, COLLET_INTERFACE_EVENT_V1, the_good.event, plugin.event);
  take_table(device, COLLET_INTERFACE_PROGRAM_V1, the_good.program, plugin.program);
  take_table(device, COLLET_INTERFACE_OPS_V1, the_good.ops, plugin.ops);
  take_table(device, COLLET_INTERFACE_POOL_V1, the_good.pool, plugin.pool);
  take_table(device, COLLET_INTERFACE_PEER_V1, the_good.peer, plugin.peer);
  mutate();
}

const void* own_table(collet_interface_t id) {
  const Plugin& plugin = mutated();
  switch (id) {
    case COLLET_INTERFACE_MEMORY_V1:
      return &plugin.memory;
    case COLLET_INTERFACE_STREAM_V1:
      return &plugin.stream;
    case COLLET_INTERFACE_EVENT_V1:
      return &plugin.event;
    case COLLET_INTERFACE_PROGRAM_V1:
      return the_good.program == nullptr ? nullptr : &plugin.program;
    case COLLET_INTERFACE_OPS_V1:
      return the_good.ops == nullptr ? nullptr : &plugin.ops;
    case COLLET_INTERFACE_POOL_V1:
      return the_good.pool == nullptr ? nullptr : &plugin.pool;
    case COLLET_INTERFACE_PEER_V1:
      return the_good.peer == nullptr ? nullptr : &plugin.peer;
    default:
      return nullptr;
  }
}

collet_status_t device_interface(collet_plugin_device_t* device, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
  static std::once_flag once;
  std::call_once(once, [&] { take_tables(device); });
  const void* const table = own_table(id);
  if (table == nullptr) return the_good.root->device_interface(device, id, out_table, out_reason);
  *out_table = table;
  return COLLET_OK;
}

// ---- the query
// -----------------------------------------------------------------------------------

/** An environment that makes no sense ends the process: the judge reports it. */
[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "libcollet_mutant: %s\n", text.c_str());
  std::_Exit(EXIT_FAILURE);
}

collet_plugin_query_fn_t load_good() {
  const char* const path = std::getenv("COLLET_MUTANT_OVER");
  if (path == nullptr) refuse("COLLET_MUTANT_OVER must be the path of a good plugin");
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(dlerror());
  void* const query = dlsym(library, COLLET_PLUGIN_QUERY_SYMBOL);
  if (query == nullptr) refuse(std::string(path) + " is no plugin");
  return reinterpret_cast<collet_plugin_query_fn_t>(query);
}

const Mutant* find_mutant() {
  const char* const id = std::getenv("COLLET_MUTANT");
  if (id == nullptr) refuse("COLLET_MUTANT must be the id of a mutant, or 0");
  if (std::strcmp(id, "0") == 0) return nullptr;
  const auto& mutants = all_mutants();
  const auto found = std::find_if(mutants.begin(), mutants.end(),
                                  [&](const Mutant& mutant) { return mutant.id == id; });
  if (found == mutants.end()) refuse("there is no mutant \"" + std::string(id) + "\"");
  return &*found;
}

collet_status_t connect(const collet_host_t* host) {
  Plugin& plugin = mutated();
  judge = host;
  plugin.host = {sizeof(collet_host_t), host->abi_version, host->version, get_interface};
  the_mutant = find_mutant();
  mutate();
  const collet_status_t status = load_good()(&plugin.host, &the_good.root);
  if (status != COLLET_OK) return status;
  plugin.root = *the_good.root;
  plugin.root.device_interface = device_interface;
  mutate();
  return COLLET_OK;
}

}  // namespace

const Good& good() noexcept { return the_good; }

Plugin& mutated() noexcept {
  static constinit Plugin plugin;
  return plugin;
}

void report(collet_status_t status, std::int64_t native_code, const char* native_name,
            const char* message) {
  judge_service<collet_host_error_t>(COLLET_HOST_ERROR_V1)
      .report(judge, status, native_code, native_name, message);
}

}  // namespace collet::mutants

extern "C" COLLET_API collet_status_t collet_plugin_query_v1(const collet_host_t* host,
                                                             const collet_plugin_t** out_plugin) {
  using collet::mutants::good;
  if (good().root == nullptr) {
    const collet_status_t status = collet::mutants::connect(host);
    if (status != COLLET_OK) return status;
  }
  const collet::mutants::Plugin& plugin = collet::mutants::mutated();
  *out_plugin = plugin.give_root == nullptr ? &plugin.root : plugin.give_root();
  return COLLET_OK;
}
