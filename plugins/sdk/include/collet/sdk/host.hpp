// SPDX-License-Identifier: Apache-2.0
/** The services of the host: log, error reports, options. */
#pragma once

#include <collet/plugin/host.h>
#include <collet/sdk/error.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace collet::plugin {

/**
 * Typed access to what collet_plugin_query_v1() was given.
 *
 * There is one per plugin, host(), which answer_query() connects. Before that, and in tests that
 * play no host, logging does nothing and no option is set. It has no destructor, so that it can be
 * used until the very end of the process.
 */
class Host {
 public:
  constexpr Host() = default;

  /** @return false if the host lacks one of the services that are always there. */
  bool connect(const collet_host_t* host, const char* plugin_name) noexcept {
    host_ = host;
    plugin_name_ = plugin_name;
    log_ = service<collet_host_log_t>(COLLET_HOST_LOG_V1);
    error_ = service<collet_host_error_t>(COLLET_HOST_ERROR_V1);
    options_ = service<collet_host_options_t>(COLLET_HOST_OPTIONS_V1);
    return log_ != nullptr && error_ != nullptr && options_ != nullptr;
  }

  [[nodiscard]] bool logs(collet_log_level_t level) const noexcept {
    return log_ != nullptr && log_->enabled(host_, level) != 0;
  }

  void log(collet_log_level_t level, const std::string& text) const noexcept {
    if (logs(level)) log_->write(host_, level, text.c_str());
  }

  /** Tells why the current call is about to return `status`; gives it back. */
  collet_status_t report(collet_status_t status, std::int64_t native_code, const char* native_name,
                         const char* message) const noexcept {
    if (error_ != nullptr) error_->report(host_, status, native_code, native_name, message);
    return status;
  }

  /** The text of an option, or nothing where it is not set. */
  [[nodiscard]] std::optional<std::string_view> option(const char* name) const noexcept {
    const char* text = options_ == nullptr ? nullptr : options_->get(host_, name);
    return text == nullptr ? std::nullopt : std::optional<std::string_view>(text);
  }

  /**
   * An option that is a whole decimal number from `least` to `greatest`.
   *
   * @throws Error MALFORMED for any other text, the empty one included.
   */
  [[nodiscard]] std::optional<std::int64_t> integer_option(const char* name, std::int64_t least,
                                                           std::int64_t greatest) const {
    const std::optional<std::string_view> text = option(name);
    if (!text) return std::nullopt;
    std::int64_t value = 0;
    const char* end = text->data() + text->size();
    const auto [stop, fault] = std::from_chars(text->data(), end, value);
    if (fault != std::errc{} || stop != end || value < least || value > greatest) {
      refuse_option(
          name, *text,
          "a whole number from " + std::to_string(least) + " to " + std::to_string(greatest));
    }
    return value;
  }

  /**
   * An option that is a size in bytes: a whole decimal number, alone or with KiB, MiB, GiB or TiB
   * behind it, such as "256MiB".
   *
   * @throws Error MALFORMED for any other text, and for sizes outside the range.
   */
  [[nodiscard]] std::optional<std::uint64_t> size_option(const char* name, std::uint64_t least,
                                                         std::uint64_t greatest) const {
    const std::optional<std::string_view> text = option(name);
    if (!text) return std::nullopt;
    std::uint64_t count = 0;
    const char* end = text->data() + text->size();
    const auto [stop, fault] = std::from_chars(text->data(), end, count);
    const std::uint64_t unit = bytes_of_unit({stop, end});
    std::uint64_t size = 0;
    if (fault != std::errc{} || unit == 0 || __builtin_mul_overflow(count, unit, &size) ||
        size < least || size > greatest) {
      refuse_option(name, *text,
                    "a size such as 256MiB, from " + std::to_string(least) + " to " +
                        std::to_string(greatest) + " bytes");
    }
    return size;
  }

  /**
   * An option that is 0 or 1, off or on, no or yes, false or true.
   *
   * @throws Error MALFORMED for any other text.
   */
  [[nodiscard]] std::optional<bool> flag_option(const char* name) const {
    const std::optional<std::string_view> text = option(name);
    if (!text) return std::nullopt;
    if (*text == "1" || *text == "on" || *text == "yes" || *text == "true") return true;
    if (*text == "0" || *text == "off" || *text == "no" || *text == "false") return false;
    refuse_option(name, *text, "\"on\" or \"off\"");
  }

  /** @throws Error MALFORMED that names the option's environment variable. */
  [[noreturn]] void refuse_option(const char* name, std::string_view text,
                                  const std::string& expected) const {
    throw Error(COLLET_ERROR_MALFORMED, variable(name) + " is \"" + std::string(text) +
                                            "\", but must be " + expected +
                                            "; correct it or unset it");
  }

 private:
  /** 0 for what is no unit. */
  static constexpr std::uint64_t bytes_of_unit(std::string_view unit) noexcept {
    constexpr unsigned kKibi = 10;
    if (unit.empty()) return 1;
    if (unit == "KiB") return std::uint64_t{1} << kKibi;
    if (unit == "MiB") return std::uint64_t{1} << 2 * kKibi;
    if (unit == "GiB") return std::uint64_t{1} << 3 * kKibi;
    if (unit == "TiB") return std::uint64_t{1} << 4 * kKibi;
    return 0;
  }

  template <class Service>
  const Service* service(collet_host_interface_t id) const noexcept {
    return static_cast<const Service*>(host_->get_interface(host_, id));
  }

  [[nodiscard]] std::string variable(const char* option) const {
    std::string text = "COLLET_" + std::string(plugin_name_) + "_" + option;
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
  }

  const collet_host_t* host_ = nullptr;
  const char* plugin_name_ = "";
  const collet_host_log_t* log_ = nullptr;
  const collet_host_error_t* error_ = nullptr;
  const collet_host_options_t* options_ = nullptr;
};

/** The host of this plugin. */
inline Host& host() noexcept {
  static constinit Host instance;
  return instance;
}

}  // namespace collet::plugin
