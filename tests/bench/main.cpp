// SPDX-License-Identifier: Apache-2.0
//
// collet-bench: measures Collet beside what it stands on. README.md tells how.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "areas.hpp"
#include "report.hpp"

namespace {

using collet::bench::Absent;
using collet::bench::Result;
using collet::bench::Row;

std::vector<Row> rows_that_start_with(const std::string& prefix) {
  std::vector<Row> rows;
  for (const auto area :
       {collet::bench::dispatch_rows, collet::bench::launch_rows, collet::bench::kernel_rows,
        collet::bench::stream_rows, collet::bench::matmul_rows, collet::bench::ops_rows,
        collet::bench::copy_rows, collet::bench::pool_rows, collet::bench::listing_rows}) {
    for (Row& row : area()) {
      if (row.name.starts_with(prefix)) rows.push_back(std::move(row));
    }
  }
  return rows;
}

struct Outcome {
  std::vector<Result> results;
  std::size_t failed = 0;
};

Outcome measure(const std::vector<Row>& rows) {
  const collet::bench::Table table(rows);
  Outcome outcome;
  for (const Row& row : rows) {
    try {
      outcome.results.push_back({row, row.measure()});
      table.print(row, outcome.results.back().figures);
    } catch (const Absent& absent) {
      std::fprintf(stderr, "%s: absent: %s\n", row.name.c_str(), absent.what());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: failed: %s\n", row.name.c_str(), error.what());
      ++outcome.failed;
    }
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures Collet beside what it stands on."};
  std::string json, filter;
  bool list = false;
  app.add_option("--json", json, "Also writes the figures to a file")->type_name("FILE");
  app.add_option("--filter", filter, "Only rows whose name starts so")->type_name("PREFIX");
  app.add_flag("--list", list, "Prints the names of the rows, and measures nothing");
  CLI11_PARSE(app, argc, argv);

  const std::vector<Row> rows = rows_that_start_with(filter);
  if (rows.empty()) {
    std::fprintf(stderr, "collet-bench: no row's name starts with \"%s\"; see --list\n",
                 filter.c_str());
    return 2;
  }
  if (list) {
    for (const Row& row : rows) std::puts(row.name.c_str());
    return 0;
  }

  const Outcome outcome = measure(rows);
  const std::size_t missing = rows.size() - outcome.results.size();
  if (missing > 0) {
    std::fprintf(stderr, "collet-bench: %zu of %zu rows have no figures, as said above\n", missing,
                 rows.size());
  }
  if (!json.empty()) {
    try {
      collet::bench::write_json(json, outcome.results);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "collet-bench: %s\n", error.what());
      return 1;
    }
  }
  return outcome.failed > 0 ? 1 : 0;
}
