// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <algorithm>
#include <ostream>

#include "contract.hpp"
#include "selection.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kColumns = 100;

/** Prints a text under an indent, broken between words. */
void write_wrapped(std::ostream& out, std::string_view text, std::size_t indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column != 0 && column + 1 + end > kColumns) {
      out << '\n';
      column = 0;
    }
    out << (column == 0 ? std::string(indent, ' ') : " ") << text.substr(0, end);
    column = (column == 0 ? indent : column + 1) + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out << '\n';
}

bool has_clause(const Case& which, const std::string& id) {
  return std::find(which.clauses.begin(), which.clauses.end(), id) != which.clauses.end();
}

}  // namespace

void explain(std::ostream& out, const std::string& clause_id) {
  const Contract& contract = Contract::instance();
  const Clause* const clause = contract.find(clause_id);
  if (clause == nullptr) {
    throw UsageError("there is no clause \"" + clause_id + "\"; the nearest is " +
                     contract.nearest(clause_id));
  }
  out << clause->id << '\n';
  write_wrapped(out, clause->sentence, 2);
  if (!clause->text.empty()) write_wrapped(out, clause->text, 2);
  out << "\ncases\n";
  for (const Case& which : all_cases()) {
    if (!has_clause(which, clause->id)) continue;
    out << "  " << which.name << "  (" << class_name(which.kind);
    for (const Capability capability : which.needs)
      out << ", needs " << capability_name(capability);
    out << ")\n";
    write_wrapped(out, which.does, 6);
  }
  const std::string_view cause = common_cause(clause->id);
  if (!cause.empty()) {
    out << "\noften broken because\n";
    write_wrapped(out, cause, 2);
  }
}

void list_cases(std::ostream& out, const std::vector<const Case*>& cases) {
  for (const Case* which : cases) {
    out << which->name << '\t' << class_name(which->kind) << '\t';
    for (const std::string_view id : which->clauses) {
      out << (id == which->clauses.front() ? "" : " ") << id;
    }
    out << '\t';
    for (std::size_t i = 0; i < which->needs.size(); ++i) {
      out << (i == 0 ? "" : ", ") << capability_name(which->needs[i]);
    }
    out << '\n';
  }
}

}  // namespace collet::conformance
