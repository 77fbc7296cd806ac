#include "io/measured_flow_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "io/measured_flow_lines.h"

namespace dollop::measured_flow {
namespace {

constexpr std::string_view rate_names[] = {
    "shear_rate", "shearrate", "shear_strain_rate", "strain_rate", "rate", "gamma_dot", "gammadot", "γ̇", "ɣ̇",
    "γ_dot", "γdot",
    // German; GP is gamma-punkt
    "scherrate", "schergeschwindigkeit", "schergefalle", "schergefaelle", "geschwindigkeitsgefalle",
    "geschwindigkeitsgefaelle", "gamma_punkt", "gammapunkt", "gp", "γ_punkt",
    // French
    "taux_de_cisaillement", "vitesse_de_cisaillement", "gradient_de_cisaillement", "gradient_de_vitesse"};
constexpr KnownUnit rate_units[] = {{"1/s", 1},         {"s^-1", 1},        {"s-1", 1},
                                    {"s⁻¹", 1},         {"s-¹", 1},         {"/s", 1},
                                    {"1/sec", 1},       {"1/min", 1 / 60.}, {"min^-1", 1 / 60.},
                                    {"min-1", 1 / 60.}, {"min⁻¹", 1 / 60.}, {"/min", 1 / 60.}};

constexpr std::string_view stress_names[] = {"shear_stress",
                                             "shearstress",
                                             "stress",
                                             "tau",
                                             "τ",
                                             "sigma",
                                             "σ",
                                             "schubspannung",
                                             "scherspannung",
                                             "contrainte_de_cisaillement",
                                             "contrainte_tangentielle",
                                             "contrainte"};
constexpr KnownUnit stress_units[] = {
    {"Pa", 1},        {"kPa", 1e3},       {"hPa", 1e2},      {"mPa", 1e-3},
    {"MPa", 1e6},     {"N/m^2", 1},       {"N/m2", 1},       {"N/m²", 1},
    {"bar", 1e5},     {"mbar", 1e2},      {"dyn/cm^2", 0.1}, {"dyn/cm2", 0.1},
    {"dyn/cm²", 0.1}, {"dyne/cm^2", 0.1}, {"dyne/cm2", 0.1}, {"dyne/cm²", 0.1}};

constexpr std::string_view viscosity_names[] = {"viscosity",
                                                "shear_viscosity",
                                                "apparent_viscosity",
                                                "dynamic_viscosity",
                                                "eta",
                                                "η",
                                                "viskositat",
                                                "viskositaet",
                                                "scherviskositat",
                                                "scherviskositaet",
                                                "dynamische_viskositat",
                                                "viscosite",
                                                "viscosite_apparente",
                                                "viscosite_dynamique",
                                                "viscosite_de_cisaillement"};
constexpr KnownUnit viscosity_units[] = {{"Pas", 1},      {"Pa-s", 1},   {"kPas", 1e3}, {"mPas", 1e-3},
                                         {"mPa-s", 1e-3}, {"MPas", 1e6}, {"cP", 1e-3},  {"cPs", 1e-3},
                                         {"P", 0.1},      {"Ns/m^2", 1}, {"Ns/m2", 1},  {"Ns/m²", 1}};

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

// replaces what is written in several ways
struct Spelling {
  std::string_view written, plain;
};
constexpr Spelling accents[] = {{"ä", "a"},      {"Ä", "a"},      {"à", "a"}, {"â", "a"}, {"é", "e"},
                                {"É", "e"},      {"è", "e"},      {"È", "e"}, {"ê", "e"}, {"ö", "o"},
                                {"Ö", "o"},      {"ô", "o"},      {"ü", "u"}, {"Ü", "u"}, {"ç", "c"},
                                {"\u00A0", "_"}, {"\u202F", "_"}, {" ", "_"}, {"-", "_"}, {".", "_"}};
constexpr Spelling unit_signs[] = {
    {" ", ""},      {"*", ""},      {".", ""}, {"_", ""}, {"\u00A0", ""},  {"\u202F", ""}, {"·", ""},
    {"\u22C5", ""}, {"\u2219", ""}, {"•", ""}, {"×", ""}, {"\u2212", "-"}, {"–", "-"}};

const Spelling* spelling_at(std::span<const Spelling> all, std::string_view text) {
  for (const Spelling& spelling : all)
    if (text.starts_with(spelling.written)) return &spelling;
  return nullptr;
}

// A heading in lower case, without accents, and for each of its bytes the place where it came from.
struct Normalised {
  std::string text;
  std::vector<std::size_t> ends;  // in the heading: after the character of this byte
};
Normalised normalised(std::string_view heading) {
  Normalised n;
  for (std::size_t i = 0; i < heading.size();) {
    const Spelling* spelling = spelling_at(accents, heading.substr(i));
    const std::size_t length = spelling ? spelling->written.size() : 1;
    for (const char c : spelling ? std::string(spelling->plain) : std::string(1, lower(heading[i])))
      n.text += c, n.ends.push_back(i + length);
    i += length;
  }
  return n;
}

// what may stand between a name and its unit
std::size_t joint_length(std::string_view rest) {
  for (const std::string_view joint : {"in ", "en ", "\u00A0", "\u202F"})
    if (rest.starts_with(joint)) return joint.size();
  return !rest.empty() && is_one_of(rest[0], " _-.,:/") ? 1 : 0;
}

// the column that the text after its name describes; none if it belongs to another name
std::optional<Column> column_with(const Quantity& quantity, std::string_view rest) {
  if (!rest.empty() && !is_one_of(rest[0], "[(") && joint_length(rest) == 0) return std::nullopt;
  while (!rest.empty()) {
    if (const KnownUnit* unit = find_unit(quantity, rest)) return Column{0, unit->scale, true};
    if (is_one_of(rest[0], "[(")) {
      const std::string inside(rest.substr(1, std::min(rest.find_first_of("])"), rest.size()) - 1));
      if (inside.find_first_not_of(' ') == std::string::npos) return Column{};
      const KnownUnit* unit = find_unit(quantity, inside);
      return unit ? Column{0, unit->scale, true} : Column{0, 1, false, inside};
    }
    const std::size_t joint = joint_length(rest);
    if (joint == 0) return std::nullopt;
    rest.remove_prefix(joint);
  }
  return Column{};
}

}  // namespace

const Quantity shear_rate{"shear rate", "shear_rate", "1/s", rate_names, rate_units};
const Quantity shear_stress{"shear stress", "shear_stress", "Pa", stress_names, stress_units};
const Quantity viscosity{"viscosity", "viscosity", "Pa s", viscosity_names, viscosity_units};

const KnownUnit* find_unit(const Quantity& quantity, std::string_view written) {
  std::string name;
  while (!written.empty()) {
    const Spelling* spelling = spelling_at(unit_signs, written);
    name += spelling ? spelling->plain : written.substr(0, 1);
    written.remove_prefix(spelling ? spelling->written.size() : 1);
  }
  const auto same = [&](const KnownUnit& unit) {
    if (lower(unit.name[0]) == 'm') return unit.name == name;  // milli and mega differ only in case
    return std::equal(unit.name.begin(), unit.name.end(), name.begin(), name.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
  };
  const auto found = std::find_if(quantity.units.begin(), quantity.units.end(), same);
  return found == quantity.units.end() ? nullptr : &*found;
}

std::optional<Column> column_of(const Quantity& quantity, const std::string& heading) {
  const Normalised n = normalised(heading);
  for (const std::string_view name : quantity.names) {
    if (!n.text.starts_with(name)) continue;
    if (const auto column = column_with(quantity, std::string_view(heading).substr(n.ends[name.size() - 1])))
      return column;
  }
  return std::nullopt;
}

const KnownUnit* unit_in_cell(const Quantity& quantity, std::string_view cell) {
  if (!cell.empty() && is_one_of(cell.front(), "[(")) cell.remove_prefix(1);
  if (!cell.empty() && is_one_of(cell.back(), "])")) cell.remove_suffix(1);
  return cell.empty() ? nullptr : find_unit(quantity, cell);
}

}  // namespace dollop::measured_flow
