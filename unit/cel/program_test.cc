#include "cel/program.h"

#include <gtest/gtest.h>

#include "cel/quantity.h"
#include "cel/semver.h"

namespace podium::cel {
namespace {

const std::vector<std::string> kNames = {"device"};

Value text(std::string value) { return Value::string(std::move(value)); }

// A device as the scheduler will give it: unknown domains are empty maps, unknown names are errors.
Value device() {
  Value gpu = Value::map({{text("model"), text("H100")},
                          {text("index"), Value::integer(3)},
                          {text("healthy"), Value::boolean(true)},
                          {text("version"), Value::semver(*Semver::parse("1.2.3"))}});
  Value capacity = Value::map({{text("memory"), Value::quantity(*Quantity::parse("80Gi"))}});
  return Value::map(
      {{text("driver"), text("gpu")},
       {text("attributes"), Value::map_with_fallback({{text("gpu"), gpu}}, Value::map({}))},
       {text("capacity"), Value::map_with_fallback({{text("gpu"), capacity}}, Value::map({}))}});
}

std::string result(const std::string& expression) {
  const auto program = Program::compile(expression, kNames);
  if (!program) return program.error().message;
  const Value value = program->evaluate(std::vector<Value>{device()});
  return value.is_error() ? "error: " + value.text() : value.go_text();
}

struct Case {
  std::string expression, want;
};

class Results : public testing::TestWithParam<Case> {};
TEST_P(Results, AreUpstreams) {
  EXPECT_EQ(result(GetParam().expression), GetParam().want) << GetParam().expression;
}

// What cel-go answers to each of these: e2e/cel/run --cases and the generator compare many more.
INSTANTIATE_TEST_SUITE_P(
    Language, Results,
    testing::Values(Case{"1 + 2 * 3 - 4 / 2", "5"}, Case{"-7 % 3", "-1"}, Case{"0x1F + 1", "32"},
                    Case{"7u / 2u", "3"}, Case{"1.5e3", "1500"}, Case{".5", "0.5"}, Case{"1e6", "1e+06"},
                    Case{"--5", "5"}, Case{"!!true", "true"}, Case{"!!-2.25 <= 1e21", "true"},
                    Case{"-9223372036854775808", "-9223372036854775808"}, Case{"true ? 1 : 2", "1"},
                    Case{"false || 1 > 2 || true && true", "true"}, Case{"1 in [1, 2]", "true"},
                    Case{"1.0 in [1, 2]", "true"}, Case{"'a' in {'a': 1}", "true"}, Case{"[1, 2][1]", "2"},
                    Case{"[1, 2] + [3]", "[1, 2, 3]"}, Case{"{'a': {'b': 7}}.a.b", "7"},
                    Case{"{1: 'x'}[1u]", "x"}, Case{"r'\\d' + \"\\u00e9\\x41\\101\\n\"", "\\déAA\n"},
                    Case{"'''a\n'b'''", "a\n'b"}, Case{"b'\\xff' == b'\\377'", "true"},
                    Case{"1 == 1.0 && 1u == 1", "true"}, Case{"'1' == dyn(1)", "false"},
                    Case{"null == null", "true"}, Case{"type(1) == int", "true"},
                    Case{"size('héé') // a comment", "3"},
                    Case{"has({'a': 1}.a) && !has({'a': 1}.b)", "true"}, Case{"cel.bind(x, 5, x * x)", "25"},
                    Case{"cel.bind(x, 1 / 0, true)", "true"}));

INSTANTIATE_TEST_SUITE_P(
    Errors, Results,
    testing::Values(Case{"device.attributes['gpu'].none", "error: no such key: none"},
                    Case{"device.attributes['other'].none == 1", "error: no such key: none"},
                    Case{"1 / 0", "error: division by zero"}, Case{"1 % 0", "error: modulus by zero"},
                    Case{"9223372036854775807 + 1", "error: integer overflow"},
                    Case{"0u - 1u", "error: unsigned integer overflow"},
                    Case{"[1][5]", "error: index out of bounds: 5"},
                    Case{"'abc'.charAt(9)", "error: index out of range: 9"},
                    Case{"dyn('a') + 1", "error: no such overload"},
                    Case{"dyn('a').major()", "error: no such overload: major(string)"},
                    Case{"device.attributes['gpu'].version == '1.2.3'", "error: no such overload"},
                    Case{"'1.2.3' == device.attributes['gpu'].version", "false"},
                    Case{"device.attributes['gpu'].version != '1.2.3'", "true"},
                    Case{"device.attributes['gpu'].version in ['1.2.3']",
                         "error: internal error: runtime error: hash of unhashable type cel.Semver"},
                    Case{"semver('1.2')", "error: No Major.Minor.Patch elements found"},
                    Case{"quantity('x')",
                         "error: quantities must match the regular expression "
                         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
                    Case{"quantity('1.5').asInteger()", "error: cannot convert value to integer"},
                    Case{"int(dyn('x' + 'y'))", "error: type conversion error from 'string' to 'int'"},
                    Case{"dyn('x').matches('[' + 'a')",
                         "error: error parsing regexp: missing closing ]: `[a`"},
                    Case{"optional.none().value()", "error: optional.none() dereference"},
                    Case{"dyn(5).exists(x, x)", "error: got 'types.Int', expected iterable type"}));

// A term that decides swallows the errors of all others, on both sides; else the first error counts.
INSTANTIATE_TEST_SUITE_P(
    Logic, Results,
    testing::Values(Case{"1 / 0 > 1 || true", "true"}, Case{"1 / 0 > 1 && false", "false"},
                    Case{"1 / 0 > 1 || 1 % 0 > 1", "error: division by zero"}, Case{"dyn(1) || true", "true"},
                    Case{"dyn(1) || false", "error: no such overload"},
                    Case{"[1, 0].exists(x, 1 / x == 1)", "true"}, Case{"[0, 2].all(x, 1 / x == 1)", "false"},
                    Case{"[0, 1].all(x, 1 / x == 1)", "error: division by zero"},
                    Case{"[0, 1].exists_one(x, 1 / x == 1)", "error: division by zero"}));

INSTANTIATE_TEST_SUITE_P(
    Macros, Results,
    testing::Values(
        Case{"[1, 2, 3].map(x, x * 2)", "[2, 4, 6]"}, Case{"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
        Case{"[1, 2, 3].filter(x, x != 2)", "[1, 3]"}, Case{"{'a': 1}.map(k, k + '!')", "[a!]"},
        Case{"[[1], [2]].map(x, x.map(y, y + x[0]))", "[[2], [4]]"},
        Case{"['b', 'a'].all(i, v, i < 2 && v != '')", "true"},
        Case{"[5, 6].transformList(i, v, i * v)", "[0, 6]"},
        Case{"{'a': 1}.transformMap(k, v, v + 1)['a']", "2"},
        Case{"[1, 2].transformMapEntry(i, v, {v: i})[2]", "1"},
        Case{"[1, 1].transformMapEntry(i, v, {v: i})", "error: insert failed: key 1 already exists"},
        Case{"['bb', 'a'].sortBy(x, size(x))", "[a, bb]"},
        Case{"{'a': 1}.?a.optMap(x, x + 1).orValue(0)", "2"},
        Case{"{'a': 1}.?b.optMap(x, x + 1).orValue(0)", "0"},
        Case{"[?optional.none(), ?optional.of(1)]", "[1]"}, Case{"{'a': {}}.?a.?b.c", "optional.none()"},
        Case{"[1][?3].orValue(9)", "9"},
        // The outer bind's value is computed inside of the inner macro, whose variables it leaves alone.
        Case{"cel.bind(a, [7].map(y, y + 1), [1, 2].map(x, x + a[0]))", "[9, 10]"}));

INSTANTIATE_TEST_SUITE_P(
    Libraries, Results,
    testing::Values(Case{"device.capacity['gpu'].memory.isGreaterThan(quantity('79Gi'))", "true"},
                    Case{"quantity('1Gi').add(quantity('1Ki')).compareTo(quantity('1048577Ki'))", "0"},
                    Case{"quantity('1000m').isInteger()", "false"},
                    Case{"quantity('1k').asInteger()", "1000"},
                    Case{"quantity('500m') == quantity('0.5')", "true"},
                    Case{"semver('v01.2', true).minor()", "2"},
                    Case{"semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", "true"},
                    Case{"cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"},
                    Case{"ip('2001:DB8::1') == ip('2001:db8:0::1')", "true"},
                    Case{"ip.isCanonical('2001:DB8::1')", "false"},
                    Case{"ip('1.2.3')",
                         "error: IP Address \"1.2.3\" parse error during conversion from string: "
                         "ParseAddr(\"1.2.3\"): IPv4 address too short"},
                    Case{"'ab'.indexOf('', 1)", "1"}, Case{"'ab'.lastIndexOf('', 9)", "2"},
                    Case{"'ab'.indexOf('', 9)", "2"}, Case{"'ab'.lastIndexOf('')", "2"},
                    Case{"'a,b'.split(',')", "[a, b]"}, Case{"['a', 'b'].join('-')", "a-b"},
                    Case{"'hello'.substring(1, 3)", "el"}, Case{"'ab12'.find('[0-9]+')", "12"},
                    Case{"'a1b22'.findAll('[0-9]+')", "[1, 22]"}, Case{"[3, 1, 2].sort()", "[1, 2, 3]"},
                    Case{"[1, 1, 2].distinct()", "[1, 2]"}, Case{"[[1], [2]].flatten()", "[1, 2]"},
                    Case{"[1, 2].sum() + [1, 2].max()", "5"}, Case{"sets.contains([1, 2], [2])", "true"},
                    Case{"string(duration('1h30m'))", "5400s"},
                    Case{"timestamp('2024-02-29T12:30:45Z').getDayOfYear()", "59"},
                    Case{"string(timestamp('2024-03-01T00:30:00+02:00') + duration('1h'))",
                         "2024-03-01T01:30:00+02:00"}));

// Refused with the reason, never guessed.
INSTANTIATE_TEST_SUITE_P(
    Refused, Results,
    testing::Values(
        Case{"'%s'.format([1])", "compilation failed: offset 16: unsupported function: format"},
        Case{"url('a')", "compilation failed: offset 8: unsupported function: url"},
        Case{"a.b.C{x: 1}", "compilation failed: offset 5: unsupported: messages, as of type a.b.C"},
        Case{"nobody", "compilation failed: offset 6: undeclared reference to 'nobody'"},
        Case{"1 +", "compilation failed: offset 3: expected an expression"},
        Case{"'a", "compilation failed: offset 0: string without its end"},
        Case{"'ab'.indexOf('', dyn(-1))", "error: index out of range: -1"},
        Case{"duration(dyn(5))", "compilation failed: offset 16: no such overload: duration(int)"},
        Case{"has(device)", "compilation failed: offset 10: invalid argument to has() macro"},
        Case{"while", "compilation failed: offset 0: reserved identifier: while"},
        Case{"timestamp(dyn(0)).getHours('Europe/Berlin')", "error: unsupported time zone: Europe/Berlin"}));

std::string repeated(std::string_view part, int times) {
  std::string out;
  while (times-- > 0) out += part;
  return out;
}

// Anyone who may create an object can write these. Each must end soon, with an answer.
TEST(Hostile, NestingIsBounded) {
  for (const std::string open : {"(", "[", "-", "!", "{1:", "[1].map(x,", "cel.bind(x,1,", "true?1:"}) {
    const std::string found = result(repeated(open, 5000));
    EXPECT_TRUE(found.starts_with("compilation failed: offset ")) << open << ": " << found;
  }
  EXPECT_EQ(result(repeated("(", 150) + "1" + repeated(")", 150)), "1");
  EXPECT_EQ(result("1" + repeated("+1", 900)), "901");
  EXPECT_NE(result("1" + repeated("+1", 5000)).find("nests deeper than 1000"), std::string::npos);
  EXPECT_EQ(result("true" + repeated("&&true", 5000)), "true");
  EXPECT_EQ(result("{'a':1}" + repeated(".?a", 5000)), "optional.none()");
  EXPECT_NE(result(repeated("a", 100000)).find("longer than"), std::string::npos);
}

TEST(Hostile, WorkAndMemoryAreBounded) {
  const std::string kLimit = "error: operation cancelled: actual cost limit exceeded";
  std::string doubled = "x", lists = "x";
  for (int i = 0; i < 40; ++i)
    doubled = "cel.bind(x, x + x, " + doubled + ")", lists = "cel.bind(x, [x, x], " + lists + ")";
  EXPECT_EQ(result("cel.bind(x, 'abcdefgh', " + doubled + ")"), kLimit);
  EXPECT_EQ(result("cel.bind(x, [1, 2], " + doubled + ")"), kLimit);
  // Little memory, but a tree of 2^40 leaves for who compares it.
  EXPECT_EQ(result("cel.bind(x, 1, " + lists + ") == cel.bind(x, 1, " + lists + ")"), kLimit);
  EXPECT_EQ(result("lists.range(1000000000).size()"), kLimit);
  EXPECT_EQ(result("lists.range(9000).all(a, lists.range(9000).all(b, a + b >= 0))"), kLimit);
  EXPECT_EQ(result("lists.range(100000).exists(a, a in lists.range(100000).map(x, x + 1000000))"), kLimit);
  // The limit is not an error that a term could swallow.
  EXPECT_EQ(result("lists.range(1000000000).size() > 0 || true"), kLimit);
  EXPECT_EQ(result("('a' + 'b').matches('(' + '((a{1,900}){1,900}){1,900})')"),
            "error: error parsing regexp: invalid repeat count: `{1,900}`");
}

TEST(Program, RefusesTheWrongNumberOfValues) {
  const auto program = Program::compile("true", kNames);
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->evaluate({}).is_error());
}

}  // namespace
}  // namespace podium::cel
