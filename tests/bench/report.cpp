// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace collet::bench {
namespace {

constexpr int kNumberWidth = 11;

std::size_t widest(const std::vector<Row>& rows, std::string Row::*column, std::size_t title) {
  for (const Row& row : rows) title = std::max(title, (row.*column).size());
  return title;
}

// Four digits that count, and no exponent.
std::string number(double value) {
  const double size = std::fabs(value);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

int width(std::size_t size) { return static_cast<int>(size); }

}  // namespace

Table::Table(const std::vector<Row>& rows)
    : name_width_(widest(rows, &Row::name, 4)),
      unit_width_(widest(rows, &Row::unit, 4)),
      reference_width_(widest(rows, &Row::reference, 9)) {
  std::printf("%-*s  %*s  %-*s  %*s  %-*s  %8s  %6s\n", width(name_width_), "name", kNumberWidth,
              "value", width(unit_width_), "unit", kNumberWidth, "reference",
              width(reference_width_), "is", "ratio", "noise");
}

void Table::print(const Row& row, const Figures& figures) const {
  std::printf("%-*s  %*s  %-*s  %*s  %-*s  %8s  %4.0f %%\n", width(name_width_), row.name.c_str(),
              kNumberWidth, number(figures.value).c_str(), width(unit_width_), row.unit.c_str(),
              kNumberWidth, number(figures.reference).c_str(), width(reference_width_),
              row.reference.c_str(), number(figures.value / figures.reference).c_str(),
              100 * figures.noise);
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Result>& results) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [row, figures] : results) {
    rows.push_back({{"name", row.name},
                    {"value", figures.value},
                    {"unit", row.unit},
                    {"reference", row.reference},
                    {"reference_value", figures.reference},
                    {"ratio", figures.value / figures.reference},
                    {"difference", figures.value - figures.reference},
                    {"noise", figures.noise}});
  }
  std::ofstream file(path);
  file << rows.dump(2) << '\n';
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace collet::bench
