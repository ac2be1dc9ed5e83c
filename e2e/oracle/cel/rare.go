package main

import "fmt"

// any is an expression whose kind the API server does not know.
func (g *generator) any() string {
	switch g.rand.Intn(4) {
	case 0:
		return fmt.Sprintf("device.attributes[%q].%s", g.one(domains...), g.one(kinds[g.one("int", "bool", "string",
			"version")]...))
	case 1:
		return "dyn(" + g.mapping() + ")"
	default:
		return "dyn(" + g.value(g.one("int", "string", "double", "uint", "bool", "version", "quantity", "list(int)",
			"list(string)", "ip", "cidr", "duration", "timestamp")) + ")"
	}
}

func (g *generator) mapping() string {
	switch g.rand.Intn(7) {
	case 0:
		return fmt.Sprintf("{%s: %s, %s: %s}", g.value("string"), g.value("int"), g.value("string"), g.value("int"))
	case 1:
		return fmt.Sprintf("{%s: %s, 1: 2}", g.value("int"), g.value("int"))
	case 2:
		return fmt.Sprintf("{?%s: %s, \"b\": 7}", g.one(`"a"`, `"b"`, g.value("string")), g.optional("int"))
	case 3:
		list := g.value("list(string)")
		return g.with("ti", "int", func() string {
			return g.with("tv", "string", func() string {
				return fmt.Sprintf("%s.transformMap(ti, tv, %s%s)", list, g.one("", "", g.value("bool")+", "), g.value("int"))
			})
		})
	case 4:
		list := g.value("list(string)")
		return g.with("ti", "int", func() string {
			return g.with("tv", "string", func() string {
				return fmt.Sprintf("%s.transformMapEntry(ti, tv, %s{tv: ti})", list, g.one("", g.value("bool")+", "))
			})
		})
	default:
		return g.literal("map")
	}
}

// rare are expressions with less common functions, arguments of any kind, and odd literals.
func (g *generator) rare() string {
	number := func() string {
		return g.one("1", "1u", "1.0", "0", "-1", "2.5", "18446744073709551615u", "9223372036854775807",
			"9007199254740993", "1e19", g.value("int"), g.value("double"), g.value("uint"))
	}
	compare := g.one("==", "!=", "<", "<=", ">", ">=")
	equal := g.one("==", "!=")
	switch g.rand.Intn(34) {
	case 0:
		return fmt.Sprintf("%s %s %s", g.any(), compare, g.any())
	case 1:
		return fmt.Sprintf("dyn(%s) %s dyn(%s)", number(), compare, number())
	case 2:
		return fmt.Sprintf("dyn(%s) in [%s, %s]", number(), g.one("1", "0", "-5"), g.one("2", "7"))
	case 3:
		return fmt.Sprintf("%s in %s", g.any(), g.one("[1u, 18446744073709551615u]", "[1.0, 2.5]",
			`["a", "1.2.3", "H100"]`, "[true]", "[[1], []]", "[null]", `[b"a"]`, "[]", `{"a": 1}`, "{1: 2}",
			"{1u: 2, true: 3}"))
	case 4:
		return fmt.Sprintf("(%s %s %s) == %s", g.any(), g.one("+", "-", "*", "/", "%"), g.any(), g.any())
	case 5:
		return fmt.Sprintf("%s(%s) %s %s(%s)", g.one("int", "double", "uint"), g.any(), compare, g.one("int", "double",
			"uint"), g.any())
	case 6:
		return fmt.Sprintf("string(%s) %s %s", g.any(), equal, g.value("string"))
	case 7:
		return fmt.Sprintf("type(%s) %s %s", g.any(), equal, g.one("int", "string", "double", "bool", "bytes", "list",
			"map", "null_type", "type", "uint", "optional_type", "google.protobuf.Duration"))
	case 8:
		return fmt.Sprintf("%s.%s()", g.any(), g.one("isSorted", "hasValue", "isLoopback", "isInteger"))
	case 9:
		return fmt.Sprintf("%s.%s() %s %s", g.any(), g.one("sum", "min", "max", "size", "sign", "major", "asInteger",
			"getHours", "family", "prefixLength"), compare, number())
	case 10:
		return fmt.Sprintf("%s.%s(%s)", g.any(), g.one("contains", "startsWith", "endsWith", "matches", "isGreaterThan",
			"isLessThan", "containsIP", "containsCIDR"), g.any())
	case 11:
		return fmt.Sprintf("%s.%s(e, %s)", g.any(), g.one("all", "exists", "exists_one"), g.with("e", g.one("int",
			"string"), func() string { return g.value("bool") }))
	case 12:
		return fmt.Sprintf("%s.%s(k, v, %s)", g.one(g.mapping(), g.value("list(int)"), g.any()), g.one("all", "exists",
			"existsOne"), g.one("v > 1", `k == "a"`, "dyn(k) == dyn(v)", "v % 2 == 0"))
	case 13:
		return fmt.Sprintf("%s %s %s", g.mapping(), equal, g.mapping())
	case 14:
		return fmt.Sprintf("%s in %s", g.value(g.one("string", "int")), g.mapping())
	case 15:
		return fmt.Sprintf("%s%s %s %s", g.mapping(), g.one(".a", `["b"]`, "[1]", "["+g.value("string")+"]"), compare, number())
	case 16:
		return fmt.Sprintf("has(%s.%s)", g.one(g.mapping(), g.literal("map"), g.any()), g.one("a", "b", "model"))
	case 17:
		return fmt.Sprintf("%s[%s] == %s", g.any(), g.any(), g.any())
	case 18:
		return fmt.Sprintf("%s[?%s].orValue(%s) == 1", g.one(g.mapping(), g.any()), g.any(), number())
	case 19:
		return fmt.Sprintf("device.?attributes[%q].?%s.%s", g.one(domains...), g.one("model", "index", "firmware"),
			g.one("hasValue()", "orValue(true)", "x.hasValue()", "?x.hasValue()", "optFlatMap(o, optional.of(o)).hasValue()"))
	case 20:
		return fmt.Sprintf("%s.or(%s) == %s", g.optional("int"), g.optional("int"), g.optional("int"))
	case 21:
		return fmt.Sprintf("%s == [1]", g.one("optional.unwrap(["+g.optional("int")+", "+g.optional("int")+"])",
			"["+g.optional("int")+"].unwrapOpt()", "[?"+g.any()+"]"))
	case 22:
		return fmt.Sprintf("%s.optFlatMap(o, %s) %s %s", g.optional("string"), g.optional("string"), equal,
			g.optional("string"))
	case 23:
		// If the value is not a list, upstream's cost tracker reads a negative depth as a very large one.
		if g.chance(33) {
			return fmt.Sprintf("%s.flatten(%s) == [1]", g.any(), g.one("", "0", "1", "2"))
		}
		return fmt.Sprintf("%s.flatten(%s) == [1]", g.one("[[1], [[2], 3]]", "[1, [2]]"), g.one("", "0", "1", "2", "-1"))
	case 24:
		return fmt.Sprintf("%s %s %s", g.one("b'abc'", `b"\xff"`, "bytes("+g.value("string")+")", "b'a' + b'b'"),
			compare, g.one("b'abc'", "b''", "bytes("+g.value("string")+")"))
	case 25:
		return fmt.Sprintf("%s.%s(%s) %s %s", g.value("timestamp"), g.one("getHours", "getMinutes", "getDayOfWeek",
			"getFullYear", "getDate"), g.one(`"+01:30"`, `"-08:00"`, `"UTC"`, `"02:00"`, `"x:y"`, `""`), compare, number())
	case 26:
		return fmt.Sprintf("%s.%s(%s)", g.value("string"), "matches", g.one(`"[" + "a"`, `"(" + "a"`, `"*" + "a"`,
			`"a)" + ""`, `"a{2,1}" + ""`, `"a{1001}" + ""`, `"[z-a]" + ""`, `"\\\\" + ""`, `"a**" + ""`, `"(?<" + ""`,
			`"\\q" + ""`, `"[[:x:]]" + ""`, `"" + "a.c"`))
	case 27:
		return fmt.Sprintf("%s(%s) %s %s", g.one("duration", "timestamp"), g.value("string"), equal, g.any())
	case 28:
		return fmt.Sprintf("[%s, %s, %s].%s() == [%s]", g.value("double"), g.value("double"), g.value("double"),
			g.one("sort", "distinct", "reverse"), g.value("double"))
	case 29:
		return fmt.Sprintf("%s.%s == %s", g.value("list(string)"), g.one("sort()", "distinct()", "map(q, size(q))",
			"transformList(i, q, i > 0, q)", "transformList(i, q, size(q) + i)", "sortBy(q, size(q))"),
			g.one(g.value("list(string)"), g.value("list(int)")))
	case 30:
		return fmt.Sprintf("(%s ? %s : %s) == %s", g.value("bool"), g.optional("string"), g.optional("string"),
			g.optional("string"))
	case 31:
		return fmt.Sprintf("%s ? %s : %s", g.any(), g.value("bool"), g.value("bool"))
	case 32:
		return fmt.Sprintf("(%s ? device.attributes : device.capacity)[%q].%s.%s", g.value("bool"), g.one(domains...),
			g.one("memory", "cores"), g.one("isInteger()", "hasValue()", "compareTo(quantity(\"1\")) > 0"))
	default:
		return fmt.Sprintf("%s && %s || %s", g.any(), g.any(), g.value("bool"))
	}
}
