// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <collet/error.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "../src/text.hpp"
#include "report_json.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kWidth = 78;
constexpr std::string_view kToDo = " To do: ";

struct StatusText {
  collet_status_t status;
  std::string_view text;

  [[nodiscard]] std::string_view meaning() const { return text.substr(0, text.find(kToDo)); }
  [[nodiscard]] std::string_view to_do() const {
    const std::size_t place = text.find(kToDo);
    return place == std::string_view::npos ? "" : text.substr(place + kToDo.size());
  }
};

// Made from the comments of collet/base.h by status_texts.cmake.
constexpr StatusText kTexts[] = {
#include "status_texts.inc"
};

// "OVERLAP"
std::string short_name(collet_status_t status) {
  const std::string name = collet_status_name(status);
  const std::string_view prefix = name.starts_with("COLLET_ERROR_") ? "COLLET_ERROR_" : "COLLET_";
  return name.substr(prefix.size());
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

const StatusText& text_of(collet_status_t status) {
  return *std::find_if(std::begin(kTexts), std::end(kTexts),
                       [&](const StatusText& row) { return row.status == status; });
}

Json json_of(const StatusText& row) {
  return {{"status", collet_status_name(row.status)},
          {"value", static_cast<int>(row.status)},
          {"meaning", row.meaning()},
          {"to_do", row.to_do()}};
}

}  // namespace

std::optional<collet_status_t> find_status(std::string_view text) {
  const std::string wanted = upper(text);
  for (const StatusText& row : kTexts) {
    if (wanted == collet_status_name(row.status) || wanted == short_name(row.status) ||
        wanted == "ERROR_" + short_name(row.status) || wanted == std::to_string(row.status)) {
      return row.status;
    }
  }
  return std::nullopt;
}

std::string status_hint(std::string_view text) {
  std::vector<std::string> names;
  for (const StatusText& row : kTexts) {
    std::string name = short_name(row.status);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    names.push_back(std::move(name));
  }
  std::string wanted = upper(text);
  for (const std::string_view prefix : {"COLLET_ERROR_", "COLLET_"}) {
    if (wanted.starts_with(prefix)) {
      wanted.erase(0, prefix.size());
    }
  }
  const std::string meant = loader::nearest(wanted, names);
  return meant.empty() ? "`collet explain` lists them" : "did you mean " + upper(meant) + "?";
}

std::string explain_text(collet_status_t status) {
  const StatusText& row = text_of(status);
  std::string text = std::string(collet_status_name(status)) + " (" + std::to_string(status) +
                     ")\n  " + wrapped(row.meaning(), kWidth - 2, 2) + "\n";
  if (!row.to_do().empty()) {
    text += "To do\n  " + wrapped(row.to_do(), kWidth - 2, 2) + "\n";
  }
  return text;
}

std::string explain_json(collet_status_t status) { return json_text(json_of(text_of(status))); }

std::string all_statuses_text() {
  std::vector<std::vector<std::string>> rows;
  for (const StatusText& row : kTexts) {
    const std::string_view meaning = row.meaning();
    const std::size_t end = std::min(meaning.find(". "), meaning.size() - 1);
    rows.push_back(
        {short_name(row.status), shortened(std::string(meaning.substr(0, end)), kWidth - 24)});
  }
  return aligned(rows);
}

std::string all_statuses_json() {
  Json json = Json::array();
  for (const StatusText& row : kTexts) {
    json.push_back(json_of(row));
  }
  return json_text(json);
}

}  // namespace collet::cli
