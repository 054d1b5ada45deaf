// SPDX-License-Identifier: Apache-2.0
// `collet explain`: what a status means and what to do about it, in the words of collet/base.h.
#pragma once

#include <collet/base.h>

#include <optional>
#include <string>
#include <string_view>

namespace collet::cli {

// The status of a name or a number: COLLET_ERROR_OVERLAP, OVERLAP, overlap or -6. Nothing where it
// is none.
std::optional<collet_status_t> find_status(std::string_view text);

// "did you mean OVERLAP?", or what there is.
std::string status_hint(std::string_view text);

std::string explain_text(collet_status_t status);
std::string explain_json(collet_status_t status);

// One line on each status.
std::string all_statuses_text();
std::string all_statuses_json();

}  // namespace collet::cli
