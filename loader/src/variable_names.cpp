// SPDX-License-Identifier: Apache-2.0
#include "variable_names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "environment.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

constexpr std::string_view kPrefix = "collet_";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

std::string first_word(std::string_view text) {
  return std::string(text.substr(0, text.find('_')));
}

// What stands behind COLLET_ in the names that Collet reads, in lower case.
std::vector<std::string> known_suffixes() {
  std::vector<std::string> suffixes;
  for (const KnownVariable& variable : known_variables()) {
    const std::string name = lower(variable.name);
    if (name.find('<') == std::string::npos) {
      suffixes.push_back(name.substr(kPrefix.size()));
    }
  }
  return suffixes;
}

// The words that begin them, but for those that are of back ends.
std::vector<std::string> own_first_words() {
  std::vector<std::string> words;
  for (const KnownVariable& variable : known_variables()) {
    if (!variable.of_backends) {
      words.push_back(first_word(lower(variable.name).substr(kPrefix.size())));
    }
  }
  return words;
}

class Reader {
 public:
  explicit Reader(std::span<const std::string> backends) : backends_(backends) {}

  [[nodiscard]] std::optional<UnreadVariable> judge(const std::string& name) const {
    const std::string all = lower(name);
    if (!all.starts_with(kPrefix)) {
      return std::nullopt;
    }
    const std::string suffix = all.substr(kPrefix.size());
    const bool cased = upper(name) != name;
    if (is_known(suffix) || is_option(suffix)) {
      return cased ? std::optional(UnreadVariable{name, upper(name)}) : std::nullopt;
    }
    // A variable in small letters is somebody else's, unless it is the name of one of Collet's.
    if (cased) {
      return std::nullopt;
    }
    if (const std::string meant = near(suffix); !meant.empty()) {
      return UnreadVariable{name, upper(kPrefix) + upper(meant)};
    }
    return may_be_foreign_option(suffix) ? std::nullopt : std::optional(UnreadVariable{name, ""});
  }

 private:
  [[nodiscard]] bool is_known(const std::string& suffix) const {
    return std::find(known_.begin(), known_.end(), suffix) != known_.end();
  }

  [[nodiscard]] bool is_option(const std::string& suffix) const {
    return std::any_of(backends_.begin(), backends_.end(), [&](const std::string& backend) {
      return suffix.size() > backend.size() + 1 && suffix.starts_with(backend + "_");
    });
  }

  // The known variable, or the option of a back end here, that may have been meant.
  [[nodiscard]] std::string near(const std::string& suffix) const {
    if (std::string meant = nearest(suffix, known_); !meant.empty()) {
      return meant;
    }
    const std::string word = first_word(suffix);
    const std::string backend = nearest(word, backends_);
    return backend.empty() || word.size() + 1 >= suffix.size()
               ? std::string()
               : backend + suffix.substr(word.size());
  }

  [[nodiscard]] bool may_be_foreign_option(const std::string& suffix) const {
    const std::string word = first_word(suffix);
    const bool ours = std::find(own_words_.begin(), own_words_.end(), word) != own_words_.end();
    return !ours && !word.empty() && word.size() + 1 < suffix.size();
  }

  const std::span<const std::string> backends_;
  const std::vector<std::string> known_ = known_suffixes();
  const std::vector<std::string> own_words_ = own_first_words();
};

}  // namespace

std::vector<UnreadVariable> unread_variables(std::span<const std::string> names,
                                             std::span<const std::string> backends) {
  const Reader reader(backends);
  std::vector<UnreadVariable> unread;
  for (const std::string& name : names) {
    if (auto variable = reader.judge(name)) {
      unread.push_back(*std::move(variable));
    }
  }
  std::sort(unread.begin(), unread.end(),
            [](const UnreadVariable& a, const UnreadVariable& b) { return a.name < b.name; });
  return unread;
}

std::string text_of(const UnreadVariable& variable) {
  return escaped(variable.name) + " is set, and nothing reads it" +
         (variable.meant.empty() ? "; `collet --help` names the variables"
                                 : "; did you mean " + escaped(variable.meant) + "?");
}

}  // namespace collet::loader
