// SPDX-License-Identifier: Apache-2.0
// The list of manifests that every reader accepts or refuses (tests/fixtures/manifests).
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace numpact::testing {

struct ManifestCase {
  std::vector<std::string> fields;
  std::string text;

  bool is_accepted() const { return fields[0] == "accepted"; }
};

inline std::string decoded(const std::string& coded) {
  std::string text;
  for (std::size_t i = 0; i < coded.size(); ++i) {
    if (coded[i] != '%') {
      text += coded[i];
      continue;
    }
    text += static_cast<char>(std::stoi(coded.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return text;
}

inline std::vector<ManifestCase> manifest_cases() {
  std::vector<ManifestCase> all;
  std::ifstream file(NUMPACT_MANIFESTS "/list.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    ManifestCase& one = all.emplace_back();
    std::size_t begin = 0;
    for (std::size_t tab = 0; tab != std::string::npos; begin = tab + 1) {
      tab = line.find('\t', begin);
      one.fields.push_back(line.substr(begin, tab - begin));
    }
    one.text = decoded(one.fields[2]);
  }
  return all;
}

}  // namespace numpact::testing
