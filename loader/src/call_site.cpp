// SPDX-License-Identifier: Apache-2.0
#include "call_site.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace collet::loader {
namespace {

std::string function_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return name != nullptr ? name.get() : symbol;
}

const void* module_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

std::string program_path() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length < 0 ? "" : std::string(path.data(), static_cast<std::size_t>(length));
}

CallSite call_site_of(const void* return_address) {
  // It is behind the call, and may be in the next function already.
  const char* call = static_cast<const char*>(return_address) - 1;
  Dl_info info;
  if (dladdr(call, &info) == 0) {
    return {{}, reinterpret_cast<std::uintptr_t>(call), {}};
  }
  // The program itself has the name by which it was called.
  return {info.dli_fname[0] == '/' ? info.dli_fname : program_path(),
          static_cast<std::uint64_t>(call - static_cast<const char*>(info.dli_fbase)),
          info.dli_sname == nullptr ? "" : function_name(info.dli_sname)};
}

bool is_own_code(const void* address) noexcept {
  static const void* const kOwn = module_of(reinterpret_cast<const void*>(&is_own_code));
  return module_of(address) == kOwn;
}

std::string call_text(const void* return_address) {
  const CallSite site = call_site_of(return_address);
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%llx",
                static_cast<unsigned long long>(site.offset));
  const std::string place = site.module.substr(site.module.rfind('/') + 1) + offset.data();
  return site.function.empty() ? place : site.function + " (" + place + ")";
}

std::span<void* const> outer_calls(std::span<void* const> stack) noexcept {
  // A sanitizer's backtrace() is the innermost call itself.
  const auto own = std::find_if(stack.begin(), stack.end(), is_own_code);
  const auto outer = std::find_if_not(own, stack.end(), is_own_code);
  return {outer, stack.end()};
}

std::string caller_text() {
  std::array<void*, 32> addresses;
  const int depth = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  const auto calls = outer_calls({addresses.data(), static_cast<std::size_t>(depth)});
  return calls.empty() ? "an unknown place" : call_text(calls.front());
}

}  // namespace collet::loader
