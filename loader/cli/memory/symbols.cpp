// SPDX-License-Identifier: Apache-2.0
// The only file that knows libdw.
#include "memory/symbols.hpp"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "text.hpp"

namespace collet::cli {
namespace {

constexpr Dwfl_Callbacks kCallbacks = {nullptr, dwfl_standard_find_debuginfo,
                                       dwfl_offline_section_address, nullptr};

// The symbols of one file.
class Module {
 public:
  explicit Module(const std::string& path) : session_(dwfl_begin(&kCallbacks), dwfl_end) {
    std::error_code fault;
    if (session_ == nullptr || !std::filesystem::is_regular_file(path, fault)) {
      return;
    }
    module_ = dwfl_report_offline(session_.get(), path.c_str(), path.c_str(), -1);
    dwfl_report_end(session_.get(), nullptr, nullptr);
    if (module_ != nullptr) {
      dwfl_module_info(module_, nullptr, &start_, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
  }

  void look_up(HistoryFrame& frame) const {
    if (module_ == nullptr) {
      return;
    }
    const Dwarf_Addr address = start_ + frame.offset;
    if (const char* symbol = dwfl_module_addrname(module_, address)) {
      frame.function = clean(demangled(symbol));
    }
    Dwfl_Line* line = dwfl_module_getsrc(module_, address);
    int number = 0;
    if (const char* file = line == nullptr
                               ? nullptr
                               : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
      frame.source =
          clean(std::filesystem::path(file).filename().string()) + ":" + std::to_string(number);
    }
  }

 private:
  static std::string demangled(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
    return name != nullptr ? name.get() : symbol;
  }

  std::unique_ptr<Dwfl, void (*)(Dwfl*)> session_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr start_ = 0;
};

}  // namespace

void add_symbols(History& history) {
  std::map<std::string, Module> modules;
  for (HistoryFrame& frame : history.frames) {
    if (frame.module.starts_with('/')) {
      modules.try_emplace(frame.module, frame.module).first->second.look_up(frame);
    }
  }
}

}  // namespace collet::cli
