package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// generator makes devices and expressions that fit them most of the time.
type generator struct {
	rand    *rand.Rand
	refused int
	depth   int
	locals  []local // variables of macros
}

type local struct{ name, kind string }

func (g *generator) one(of ...string) string { return of[g.rand.Intn(len(of))] }
func (g *generator) chance(percent int) bool { return g.rand.Intn(100) < percent }

var domains = []string{"gpu.example.com", "dra.example.net", "resource.k8s.io"}
var kinds = map[string][]string{
	"int":     {"memory", "index", "numaNode", "ports"},
	"bool":    {"healthy", "shared", "sriov"},
	"string":  {"model", "pciAddress", "vendor", "cidr", "list"},
	"version": {"driverVersion", "firmware"},
}

var texts = []string{"", "a", "H100", "A100-SXM4-40GB", "ib", "0000:00:1f.6", "Ünïcode ✓", "10.0.0.1", "2001:db8::1",
	"10.0.0.0/8", "1.2.3", "v1.2", "512Mi", "1e3", "true", "42", "-7", "a,b,c", " padded ", "3.5", "1h30m",
	"2024-02-29T12:30:45Z", "ethernet", "infiniband", "1.5Gi", "100m"}
var versions = []string{"1.2.3", "0.0.1", "535.104.5", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3+build.5", "2.0.0-rc.1+x",
	"10.20.30"}
var amounts = []string{"1Gi", "80Gi", "1", "0", "500m", "1500m", "1.5Gi", "10k", "1e3", "100n", "1E", "2Ki", "0.5",
	"1000m", "-1"}
var integers = []string{"0", "1", "2", "-1", "5", "42", "9223372036854775807", "-9223372036854775808", "1000000", "0x1F"}
var patterns = []string{"^H1", "[0-9]+", "a|b", "(?i)h100", "\\\\d", "x*", "^$", ".+\\\\.", "[[:alpha:]]+"}

func (g *generator) device() device {
	d := device{Driver: g.one(domains...), Multiple: g.chance(30), Attributes: map[string]attribute{},
		Capacity: map[string]string{}}
	// A name has either the driver's domain or none: upstream takes one of two at random.
	isBare := g.chance(50)
	name := func(of []string) string {
		domain := g.one(domains...)
		if domain == d.Driver && isBare {
			return g.one(of...)
		}
		return domain + "/" + g.one(of...)
	}
	for i := g.rand.Intn(14); i > 0; i-- {
		var a attribute
		kind := g.one("int", "bool", "string", "string", "version")
		switch kind {
		case "int":
			v := int64(g.rand.Intn(10)) - 2
			if g.chance(10) {
				v = 9223372036854775807
			}
			a.Int = &v
		case "bool":
			v := g.chance(50)
			a.Bool = &v
		case "string":
			v := g.one(texts...)
			a.String = &v
		default:
			v := g.one(versions...)
			a.Version = &v
		}
		under := kind
		if g.chance(15) {
			under = g.one("int", "bool", "string", "version")
		}
		d.Attributes[name(kinds[under])] = a
	}
	for i := g.rand.Intn(4); i > 0; i-- {
		d.Capacity[name([]string{"memory", "cores", "bandwidth"})] = g.one(amounts...)
	}
	return d
}

func (g *generator) expression() string {
	g.depth = 0
	g.locals = nil
	if g.chance(5) {
		return g.attribute("bool")
	}
	return g.value("bool")
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }

func (g *generator) attribute(kind string) string {
	name := g.one(kinds[kind]...)
	if g.chance(8) {
		name = g.one(kinds[g.one("int", "bool", "string", "version")]...)
	}
	domain := g.one(domains...)
	switch g.rand.Intn(8) {
	case 0:
		return fmt.Sprintf("device.attributes[%q][%q]", domain, name)
	case 1:
		return fmt.Sprintf("device.attributes[device.driver].%s", name)
	case 2:
		return fmt.Sprintf("device.attributes[%q].?%s.orValue(%s)", domain, name, g.literal(kind))
	case 3:
		return fmt.Sprintf("device.attributes[%q][?%q].orValue(%s)", domain, name, g.literal(kind))
	default:
		return fmt.Sprintf("device.attributes[%q].%s", domain, name)
	}
}

func (g *generator) literal(kind string) string {
	switch kind {
	case "bool":
		return g.one("true", "false")
	case "int":
		return g.one(integers...)
	case "uint":
		return g.one("0u", "1u", "7u", "18446744073709551615u")
	case "double":
		return g.one("0.0", "1.5", "-2.25", "1e3", "1e21", "0.1", "2.0")
	case "string":
		return g.one(quoted(g.one(texts...)), "r'raw\\d'", "'''x'''", `"\u00e9\x41"`)
	case "version":
		return fmt.Sprintf("semver(%q)", g.one(append(versions, texts[g.rand.Intn(len(texts))])...))
	case "quantity":
		return fmt.Sprintf("quantity(%q)", g.one(append(amounts, texts[g.rand.Intn(len(texts))])...))
	case "ip":
		return fmt.Sprintf("ip(%q)", g.one("10.0.0.1", "127.0.0.1", "2001:db8::1", "::1", "fe80::1", "1.2.3", "0.0.0.0",
			"::ffff:1.2.3.4", "224.0.0.1"))
	case "cidr":
		return fmt.Sprintf("cidr(%q)", g.one("10.0.0.0/8", "10.1.2.3/16", "2001:db8::/32", "::/0", "1.2.3.4/33",
			"10.0.0.0", "1.2.3.4/032"))
	case "duration":
		return fmt.Sprintf("duration(%q)", g.one("1h30m", "1.5s", "-10ms", "0s", "100us", "1h"))
	case "timestamp":
		return fmt.Sprintf("timestamp(%q)", g.one("2024-02-29T12:30:45Z", "1970-01-01T00:00:00Z",
			"2023-12-31T23:59:59.123456Z", "2024-01-01T00:00:00+02:00"))
	case "list(int)":
		return g.one("[]", "[1, 2, 3]", "[5]", "[3, 1, 2, 1]", "[-1, 0, 42]")
	case "list(string)":
		return g.one("[]", `["a", "b"]`, `["H100", "A100", "ib"]`, `["a", "", "a"]`, `["1.2.3"]`)
	case "map":
		return g.one(`{"a": 1, "b": 2}`, `{"H100": 5}`, `{}`, `{"": 0}`)
	}
	return "null"
}

// value is an expression of the kind; attributes have any type, so that it may fail.
func (g *generator) value(kind string) string {
	for _, l := range g.locals {
		if l.kind == kind && g.chance(40) {
			return l.name
		}
	}
	if g.depth > 4 || (kind != "bool" && g.chance(30)) {
		if g.chance(35) || kinds[kind] == nil {
			return g.literal(kind)
		}
		return g.attribute(kind)
	}
	g.depth++
	defer func() { g.depth-- }()
	if g.chance(4) {
		return fmt.Sprintf("(%s ? %s : %s)", g.value("bool"), g.value(kind), g.value(kind))
	}
	if g.chance(3) {
		return g.bind(kind)
	}
	if g.chance(3) {
		return fmt.Sprintf("%s.orValue(%s)", g.optional(kind), g.value(kind))
	}
	switch kind {
	case "bool":
		return g.boolean()
	case "int":
		return g.integer()
	case "string":
		return g.text()
	case "uint":
		return g.one(fmt.Sprintf("uint(%s)", g.value("int")), g.literal("uint"), fmt.Sprintf("(%s %s %s)",
			g.value("uint"), g.one("+", "-", "*", "/", "%"), g.value("uint")))
	case "double":
		return g.one(fmt.Sprintf("double(%s)", g.value(g.one("int", "string"))), g.literal("double"),
			fmt.Sprintf("(%s %s %s)", g.value("double"), g.one("+", "-", "*", "/"), g.value("double")),
			g.value("quantity")+".asApproximateFloat()")
	case "version":
		return g.one(g.attribute("version"), g.literal("version"), fmt.Sprintf("semver(%s)", g.value("string")),
			fmt.Sprintf("semver(%s, true)", g.value("string")))
	case "quantity":
		return g.one(g.capacity(), g.literal("quantity"), fmt.Sprintf("quantity(%s)", g.value("string")),
			fmt.Sprintf("%s.%s(%s)", g.value("quantity"), g.one("add", "sub"), g.value(g.one("quantity", "int"))))
	case "ip":
		return g.one(g.literal("ip"), fmt.Sprintf("ip(%s)", g.value("string")), g.value("cidr")+".ip()")
	case "cidr":
		return g.one(g.literal("cidr"), fmt.Sprintf("cidr(%s)", g.value("string")), g.value("cidr")+".masked()")
	case "duration":
		return g.one(g.literal("duration"), fmt.Sprintf("(%s %s %s)", g.value("duration"), g.one("+", "-"),
			g.value("duration")), fmt.Sprintf("(%s - %s)", g.value("timestamp"), g.value("timestamp")))
	case "timestamp":
		return g.one(g.literal("timestamp"), fmt.Sprintf("(%s %s %s)", g.value("timestamp"), g.one("+", "-"),
			g.value("duration")), fmt.Sprintf("timestamp(%s)", g.value("int")))
	case "list(int)":
		return g.list("int")
	case "list(string)":
		return g.list("string")
	}
	return g.literal(kind)
}

func (g *generator) capacity() string {
	return fmt.Sprintf("device.capacity[%q].%s", g.one(domains...), g.one("memory", "cores", "bandwidth"))
}

func (g *generator) boolean() string {
	kind := g.one("int", "int", "string", "string", "version", "quantity", "bool", "double", "uint", "ip", "cidr",
		"duration", "timestamp", "list(int)", "list(string)")
	switch g.rand.Intn(28) {
	case 22, 23, 24, 25, 26, 27:
		return g.rare()
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", g.value("bool"), g.one("&&", "||"), g.value("bool"))
	case 3:
		return "!" + g.value("bool")
	case 4, 5:
		return fmt.Sprintf("%s %s %s", g.value(kind), g.one("==", "!="), g.value(kind))
	case 6:
		other := g.one("int", "string", "double", "uint", "version", "bool")
		return fmt.Sprintf("dyn(%s) %s dyn(%s)", g.value(kind), g.one("==", "!=", "<", ">=", "<=", ">"), g.value(other))
	case 7, 8:
		order := g.one("int", "string", "double", "uint", "duration", "timestamp", "bool")
		return fmt.Sprintf("%s %s %s", g.value(order), g.one("<", "<=", ">", ">="), g.value(order))
	case 9:
		number := g.one("int", "uint", "double")
		return fmt.Sprintf("%s %s %s", g.value(number), g.one("<", "<=", ">", ">=", "=="), g.value(g.one("int", "uint",
			"double")))
	case 10:
		item := g.one("int", "string")
		if g.chance(30) {
			return fmt.Sprintf("%s.includes(%s)", g.value(g.one("list("+item+")", "list("+item+")", item, "version", "quantity")),
				g.value(g.one(item, item, "version")))
		}
		return fmt.Sprintf("%s in %s", g.value(g.one(item, item, "version")), g.value("list("+item+")"))
	case 11:
		return fmt.Sprintf("%s in %s", g.value("string"), g.one(g.literal("map"), fmt.Sprintf("device.attributes[%q]",
			g.one(domains...)), fmt.Sprintf("device.capacity[%q]", g.one(domains...)), "device.attributes"))
	case 12:
		return fmt.Sprintf("has(device.%s)", g.one(fmt.Sprintf("attributes[%q].%s", g.one(domains...), g.one("model",
			"index", "x")), fmt.Sprintf("capacity[%q].memory", g.one(domains...)), "attributes.foo", "driver"))
	case 13:
		return fmt.Sprintf("%s.%s(%s)", g.value("string"), g.one("contains", "startsWith", "endsWith"), g.value("string"))
	case 14:
		return fmt.Sprintf("%s.matches(%s)", g.value("string"), g.one(quotedPattern(g.one(patterns...)),
			quotedPattern(g.one(patterns...)), g.value("string")))
	case 15:
		both := g.one("version", "quantity")
		return fmt.Sprintf("%s.%s(%s)", g.value(both), g.one("isGreaterThan", "isLessThan"), g.value(both))
	case 16:
		return fmt.Sprintf("%s(%s)", g.one("isSemver", "isQuantity", "isIP", "isCIDR", "ip.isCanonical", "bool"),
			g.value("string"))
	case 17:
		return g.quantifier()
	case 18:
		item := g.one("int", "string")
		return fmt.Sprintf("sets.%s(%s, %s)", g.one("contains", "equivalent", "intersects"), g.value("list("+item+")"),
			g.value("list("+item+")"))
	case 19:
		return g.one(
			fmt.Sprintf("%s.%s()", g.value("ip"), g.one("isLoopback", "isGlobalUnicast", "isLinkLocalUnicast",
				"isUnspecified", "isLinkLocalMulticast")),
			fmt.Sprintf("%s.containsIP(%s)", g.value("cidr"), g.value(g.one("ip", "string"))),
			fmt.Sprintf("%s.containsCIDR(%s)", g.value("cidr"), g.value(g.one("cidr", "string"))),
			fmt.Sprintf("%s.isInteger()", g.value("quantity")),
			fmt.Sprintf("%s.hasValue()", g.optional(g.one("int", "string", "version"))),
			fmt.Sprintf("type(%s) == type(%s)", g.value(kind), g.value(g.one("int", "string", "version"))),
			fmt.Sprintf("%s.isSorted()", g.value(g.one("list(int)", "list(string)"))),
			"device.allowMultipleAllocations")
	case 20:
		if g.chance(50) {
			return fmt.Sprintf("%s == %s", g.optional(g.one("int", "string")), g.optional(g.one("int", "string")))
		}
		return g.attribute("bool")
	default:
		return fmt.Sprintf("device.driver %s %s", g.one("==", "!="), quoted(g.one(domains...)))
	}
}

func quotedPattern(pattern string) string { return `"` + pattern + `"` }

func (g *generator) integer() string {
	switch g.rand.Intn(9) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", g.value("int"), g.one("+", "-", "*", "/", "%"), g.value("int"))
	case 2:
		return "size(" + g.value(g.one("string", "list(int)", "list(string)")) + ")"
	case 3:
		return fmt.Sprintf("int(%s)", g.value(g.one("string", "uint", "double", "timestamp", "duration")))
	case 4:
		return fmt.Sprintf("%s.%s", g.value("version"), g.one("major()", "minor()", "patch()",
			"compareTo("+g.value("version")+")"))
	case 5:
		return fmt.Sprintf("%s.%s", g.value("quantity"), g.one("asInteger()", "sign()", "compareTo("+g.value("quantity")+")"))
	case 6:
		if g.chance(30) {
			return fmt.Sprintf("%s.%s(%s, %s)", g.value("string"), g.one("indexOf", "lastIndexOf"), g.value("string"),
				g.value("int"))
		}
		return fmt.Sprintf("%s.%s(%s)", g.value("string"), g.one("indexOf", "lastIndexOf"), g.value("string"))
	case 7:
		return g.one(
			fmt.Sprintf("%s[%s]", g.value("list(int)"), g.value("int")),
			fmt.Sprintf("%s.%s()", g.value("list(int)"), g.one("min", "max", "sum")),
			fmt.Sprintf("%s.%s(%s)", g.value("list(int)"), g.one("indexOf", "lastIndexOf"), g.value("int")),
			fmt.Sprintf("%s[%s]", g.literal("map"), g.value("string")),
			"-"+g.value("int"))
	default:
		return g.one(
			g.value("ip")+".family()", g.value("cidr")+".prefixLength()",
			fmt.Sprintf("%s.%s()", g.value("timestamp"), g.one("getFullYear", "getMonth", "getDate", "getDayOfMonth",
				"getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds")),
			fmt.Sprintf("%s.%s()", g.value("duration"), g.one("getHours", "getMinutes", "getSeconds", "getMilliseconds")))
	}
}

func (g *generator) text() string {
	switch g.rand.Intn(10) {
	case 0:
		return fmt.Sprintf("(%s + %s)", g.value("string"), g.value("string"))
	case 1:
		return fmt.Sprintf("string(%s)", g.value(g.one("int", "uint", "double", "bool", "ip", "cidr", "duration",
			"timestamp", "string")))
	case 2:
		return fmt.Sprintf("%s.%s()", g.value("string"), g.one("lowerAscii", "upperAscii", "trim"))
	case 3:
		return fmt.Sprintf("%s.substring(%s%s)", g.value("string"), g.one("0", "1", "2", g.value("int")), g.one("",
			", 3", ", "+g.value("int")))
	case 4:
		return fmt.Sprintf("%s.replace(%s, %s%s)", g.value("string"), g.value("string"), g.value("string"), g.one("", "",
			", 1", ", -1"))
	case 5:
		return fmt.Sprintf("%s.charAt(%s)", g.value("string"), g.one("0", "1", g.value("int")))
	case 6:
		return fmt.Sprintf("%s.join(%s)", g.value("list(string)"), g.one("", `","`, g.value("string")))
	case 7:
		return fmt.Sprintf("%s.find(%s)", g.value("string"), g.one(quotedPattern(g.one(patterns...)), g.value("string")))
	case 8:
		return g.one(fmt.Sprintf("strings.quote(%s)", g.value("string")), fmt.Sprintf("%s[%s]", g.value("list(string)"),
			g.value("int")), "string(bytes("+g.value("string")+"))")
	default:
		return "device.driver"
	}
}

func (g *generator) list(item string) string {
	kind := "list(" + item + ")"
	switch g.rand.Intn(9) {
	case 0:
		var items []string
		for i := g.rand.Intn(4); i > 0; i-- {
			items = append(items, g.value(item))
		}
		if g.chance(15) {
			items = append(items, "?"+g.optional(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case 1:
		return fmt.Sprintf("(%s + %s)", g.value(kind), g.value(kind))
	case 2:
		source := g.one("int", "string")
		return g.macro("map", source, item)
	case 3:
		return g.macro("filter", item, "bool")
	case 4:
		if item == "string" {
			return g.one(fmt.Sprintf("%s.split(%s%s)", g.value("string"), g.one(`","`, `""`, g.value("string")),
				g.one("", ", 2")),
				fmt.Sprintf("%s.findAll(%s%s)", g.value("string"), quotedPattern(g.one(patterns...)), g.one("", ", 1")))
		}
		return g.one("lists.range(4)", fmt.Sprintf("[%s, %s].flatten()", g.value(kind), g.value(kind)))
	case 5:
		return fmt.Sprintf("%s.%s()", g.value(kind), g.one("sort", "distinct", "reverse"))
	case 6:
		return fmt.Sprintf("%s.slice(0, %s)", g.value(kind), g.one("1", "2", g.value("int")))
	case 7:
		return g.macro("sortBy", item, g.one("int", "string"))
	default:
		return g.literal(kind)
	}
}

func (g *generator) with(name, kind string, body func() string) string {
	g.locals = append(g.locals, local{name, kind})
	defer func() { g.locals = g.locals[:len(g.locals)-1] }()
	return body()
}

func (g *generator) macro(name, item, body string) string {
	list := g.value("list(" + item + ")")
	variable := fmt.Sprintf("x%d", len(g.locals))
	return g.with(variable, item, func() string {
		if name == "map" && g.chance(25) {
			return fmt.Sprintf("%s.map(%s, %s, %s)", list, variable, g.value("bool"), g.value(body))
		}
		return fmt.Sprintf("%s.%s(%s, %s)", list, name, variable, g.value(body))
	})
}

func (g *generator) quantifier() string {
	item := g.one("int", "string")
	if g.chance(20) {
		list := g.value("list(" + item + ")")
		i, v := fmt.Sprintf("i%d", len(g.locals)), fmt.Sprintf("v%d", len(g.locals))
		return g.with(i, "int", func() string {
			return g.with(v, item, func() string {
				return fmt.Sprintf("%s.%s(%s, %s, %s)", list, g.one("all", "exists", "existsOne"), i, v, g.value("bool"))
			})
		})
	}
	if g.chance(15) {
		return g.with("k", "string", func() string {
			return fmt.Sprintf("%s.%s(k, %s)", g.literal("map"), g.one("all", "exists"), g.one(`k == "a"`,
				`k.startsWith("H")`, "size(k) > 0"))
		})
	}
	return g.macro(g.one("all", "exists", "exists_one"), item, "bool")
}

func (g *generator) bind(kind string) string {
	of := g.one("int", "string", "version", "quantity", "bool")
	value := g.value(of)
	name := fmt.Sprintf("b%d", len(g.locals))
	return g.with(name, of, func() string { return fmt.Sprintf("cel.bind(%s, %s, %s)", name, value, g.value(kind)) })
}

func (g *generator) optional(kind string) string {
	if kinds[kind] != nil && g.chance(50) {
		return fmt.Sprintf("device.attributes[%q]%s", g.one(domains...), g.one(".?"+g.one(kinds[kind]...),
			"[?"+quoted(g.one(kinds[kind]...))+"]"))
	}
	switch g.rand.Intn(5) {
	case 0:
		return "optional.none()"
	case 1:
		return fmt.Sprintf("optional.ofNonZeroValue(%s)", g.value(kind))
	case 2:
		if kind == "int" || kind == "string" {
			return g.one(fmt.Sprintf("%s.%s()", g.value("list("+kind+")"), g.one("first", "last")),
				fmt.Sprintf("%s[?%s]", g.value("list("+kind+")"), g.value("int")))
		}
		return fmt.Sprintf("optional.of(%s)", g.value(kind))
	case 3:
		if g.depth > 4 {
			return "optional.none()"
		}
		g.depth++
		defer func() { g.depth-- }()
		source := g.optional(kind)
		name := fmt.Sprintf("o%d", len(g.locals))
		return g.with(name, kind, func() string { return fmt.Sprintf("%s.optMap(%s, %s)", source, name, g.value(kind)) })
	default:
		return fmt.Sprintf("optional.of(%s)", g.value(kind))
	}
}
