#include "boundary/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <regex>
#include <unordered_map>
#include <vector>

#include "core/nearest_name.h"

namespace dollop {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double clamp_to(double x, double low, double high) { return std::max(low, std::min(x, high)); }
double step_at(double edge, double x) { return x < edge ? 0 : 1; }
double floor_of(double x) { return std::floor(x); }
double fraction_of(double x) { return x - std::floor(x); }
double smooth_step(double a, double b, double x) {
  if (a == b) return step_at(a, x);
  const double s = clamp_to((x - a) / (b - a), 0, 1);
  return s * s * (3 - 2 * s);
}

// muParser's reason, with columns counted from one
std::string reason_of(const mu::Parser::exception_type& e, const std::string& text) {
  static const std::regex position(" ?(found )?(at )?(expression )?position -?[0-9]+");
  std::string reason = std::regex_replace(e.GetMsg(), position, "");
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  const int last = int(text.size());  // muParser may report a position past the end
  return reason + " (column " + std::to_string(std::clamp(int(e.GetPos()), 0, last) + 1) + ")";
}

// "; did you mean 'sin'?" if the error is about a name that is not known
std::string hint_for(const mu::Parser::exception_type& e, const mu::Parser& parser) {
  const auto& token = e.GetToken();
  std::size_t length = 0;
  while (length < token.size() &&
         (std::isalnum(static_cast<unsigned char>(token[length])) || token[length] == '_'))
    ++length;
  if (e.GetCode() != mu::ecUNASSIGNABLE_TOKEN || length == 0) return {};
  const std::string word(token.substr(0, length));
  if (word == "pow") return "; write a ^ b for a power";
  if (word == "T" || word == "time") return "; the time is t";
  if (word.size() == 1) return {};  // near every other letter
  std::vector<std::string> known;
  for (const auto& [name, function] : parser.GetFunDef()) known.push_back(name);
  for (const auto& [name, value] : parser.GetConst())
    if (name[0] != '_') known.push_back(name);
  return did_you_mean(word, known);
}

// A parsed expression, ready to evaluate.
class Compiled {
 public:
  explicit Compiled(const std::string& text) {
    try {
      parser_.DefineVar("t", &t_);
      parser_.DefineConst("pi", std::numbers::pi);
      parser_.DefineConst("e", std::numbers::e);
      parser_.DefineFun("clamp", clamp_to);
      parser_.DefineFun("step", step_at);
      parser_.DefineFun("smoothstep", smooth_step);
      parser_.DefineFun("floor", floor_of);
      parser_.DefineFun("frac", fraction_of);
      parser_.SetExpr(text);
      parser_.Eval();
      if (parser_.GetNumResults() != 1) error_ = "it has more than one value; remove the comma";
      if (t_ != 0) error_ = "it sets t; compare with == instead of =";
      constant_ = parser_.GetUsedVar().empty();
    } catch (const mu::Parser::exception_type& e) {
      error_ = reason_of(e, text) + hint_for(e, parser_);
    }
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  const std::string& error() const { return error_; }
  bool constant() const { return constant_; }
  RecentValues& rates() { return rates_; }
  double at(double t) {
    if (!error_.empty()) return not_a_number;
    t_ = t;
    try {
      return parser_.Eval();
    } catch (const mu::Parser::exception_type&) {
      return not_a_number;
    }
  }

 private:
  mu::Parser parser_;
  double t_ = 0;
  std::string error_;
  bool constant_ = false;
  RecentValues rates_;
};

// Each thread has a cache of its own: a muParser object must not be shared.
Compiled& compiled(const std::string& expression) {
  // scenes have a handful of expressions; the limit bounds the memory of a program that keeps editing scenes
  constexpr std::size_t max_cached = 1000;
  thread_local std::unordered_map<std::string, std::unique_ptr<Compiled>> cache;
  const auto found = cache.find(expression);
  if (found != cache.end()) return *found->second;
  if (cache.size() >= max_cached) cache.clear();
  return *cache.emplace(expression, std::make_unique<Compiled>(expression)).first->second;
}

}  // namespace

std::string validate_expression(const std::string& expression) {
  if (expression.find_first_not_of(" \t\r\n") == std::string::npos) return "the expression is empty";
  const std::string named = "expression '" + expression + "'";
  Compiled& c = compiled(expression);
  if (!c.error().empty()) return named + ": " + c.error();
  if (!std::isfinite(c.at(0))) return named + " has no finite value at t = 0";
  return {};
}

double evaluate(const std::string& expression, double t) { return compiled(expression).at(t); }

bool depends_on_time(const std::string& expression) { return !compiled(expression).constant(); }

RecentValues& recent_rates(const std::string& expression) { return compiled(expression).rates(); }

}  // namespace dollop
