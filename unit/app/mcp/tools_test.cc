#include "app/mcp/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <set>

namespace podium::mcp {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

Result<CommandLine> line(std::string_view tool, std::string_view arguments) {
  return command_line(*tool_named(tool), json::parse(arguments));
}

std::vector<std::string> words(std::string_view tool, std::string_view arguments) {
  const auto read = line(tool, arguments);
  return read ? read->words : std::vector<std::string>{read.error().text()};
}

std::string error(std::string_view tool, std::string_view arguments) {
  const auto read = line(tool, arguments);
  return read ? "no error" : read.error().text();
}

TEST(Tools, BecomeCommandLines) {
  EXPECT_THAT(words("why", R"({"name": "deploy/web", "namespace": "shop"})"),
              ElementsAre("why", "deploy/web", "--namespace=shop"));
  EXPECT_THAT(words("why_not", R"({"name": "web-07", "node": "gpu-03"})"),
              ElementsAre("why", "web-07", "--node=gpu-03"));
  EXPECT_THAT(words("what_if", R"({"name": "deploy/web", "replicas": 200, "drain": ["n1", "n2"],
                                   "addNodes": 2, "like": "n3", "weights": "NodeResourcesFit=5"})"),
              ElementsAre("whatif", "deploy/web", "--replicas=200", "--drain=n1", "--drain=n2",
                          "--add-nodes=2", "--like=n3", "--weights=NodeResourcesFit=5"));
  EXPECT_THAT(words("what_would_help", R"({"name": "web-07"})"), ElementsAre("whatif", "web-07", "--fixes"));
  EXPECT_THAT(words("what_waits", R"x({"allNamespaces": true, "selector": "app in (a, b)"})x"),
              ElementsAre("pending", "--all-namespaces", "--selector=app in (a, b)"));
  EXPECT_THAT(words("what_waits", R"({"allNamespaces": false, "namespace": null})"), ElementsAre("pending"));
  EXPECT_THAT(words("drain", R"({"nodes": ["n1", "n2"]})"), ElementsAre("drain", "n1", "n2"));
  EXPECT_THAT(words("drain", R"({"selector": "zone=a", "fail": true})"),
              ElementsAre("drain", "--selector=zone=a", "--fail"));
}

TEST(Tools, ANamespaceIsAskedAbout) {
  EXPECT_THAT(words("what_could_run", R"({"namespace": "shop", "requests": "cpu=1,memory=1Gi"})"),
              ElementsAre("capacity", "--namespace=shop", "--requests=cpu=1,memory=1Gi"));
}

TEST(Tools, OtherWeightsAreRequired) {
  EXPECT_THAT(words("compare_weights", R"({"weights": "NodeResourcesFit=5", "namespace": "shop"})"),
              ElementsAre("compare", "--weights=NodeResourcesFit=5", "--namespace=shop"));
  EXPECT_THAT(error("compare_weights", "{}"), HasSubstr("weights: missing"));
}

TEST(Tools, ShapesBecomeTheInput) {
  EXPECT_THAT(words("nodes_that_could_go", "{}"), ElementsAre("nodes", "--could-go"));
  EXPECT_THAT(words("nodes_for_pending", R"({"namespace": "ml"})"),
              ElementsAre("nodes", "--namespace=ml", "--for-pending"));
  const auto read = line("nodes_for_pending", R"({"shapes": "shapes: []"})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->words, ElementsAre("nodes", "--shapes=-", "--for-pending"));
  EXPECT_EQ(read->input, "shapes: []");
}

TEST(Tools, AManifestBecomesTheInput) {
  const auto read = line("how_many_fit", R"({"manifest": "kind: Pod", "upTo": 50})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->words, ElementsAre("capacity", "--filename=-", "--up-to=50"));
  EXPECT_EQ(read->input, "kind: Pod");
}

// What an agent writes never becomes a flag: it could name another cluster or a file.
TEST(Tools, NoValueIsTakenForAFlag) {
  for (const auto* value :
       {"--kubeconfig=/etc/shadow", "-f", "-", "", "a b", "a\\nb", "a;b", "$(id)", "@file"}) {
    const auto name = json::object{{"name", json::parse("\"" + std::string(value) + "\"")}};
    EXPECT_FALSE(command_line(*tool_named("why"), name)) << value;
    const auto nodes = json::object{{"nodes", json::array{name.at("name")}}};
    EXPECT_FALSE(command_line(*tool_named("drain"), nodes)) << value;
  }
  EXPECT_THAT(words("what_waits", R"({"selector": "--kubeconfig=x"})"),
              ElementsAre("pending", "--selector=--kubeconfig=x"));
  EXPECT_THAT(error("what_waits", R"({"selector": "a\nb"})"), HasSubstr("selector: must be a line"));
}

TEST(Tools, AllWrongArgumentsAreNamed) {
  const auto wrong = error("why_not", R"({"nod": "n1", "namespace": 7})");
  EXPECT_THAT(wrong, HasSubstr("nod: why_not has no such argument"));
  EXPECT_THAT(wrong, HasSubstr("namespace: must be a name"));
  EXPECT_THAT(wrong, HasSubstr("name: missing"));
  EXPECT_THAT(wrong, HasSubstr("node: missing"));
  EXPECT_THAT(error("why", "[]"), HasSubstr("must be an object"));
  EXPECT_THAT(error("what_if", "{}"), HasSubstr("either name or manifest"));
  EXPECT_THAT(error("what_if", R"({"name": "a", "manifest": "b"})"), HasSubstr("either name or manifest"));
  EXPECT_THAT(error("what_if", R"({"name": "a", "replicas": 0})"), HasSubstr("from 1 to 10000"));
  EXPECT_THAT(error("what_if", R"({"name": "a", "replicas": 1.5})"), HasSubstr("whole number"));
  EXPECT_THAT(error("drain", R"({"nodes": []})"), HasSubstr("1 to 64 names"));
  json::object large{{"manifest", std::string(600 * 1024, 'x')}};
  EXPECT_FALSE(command_line(*tool_named("what_if"), large));
}

TEST(Tools, NumbersHaveTheBoundsOfTheCommands) {
  EXPECT_THAT(error("drain", R"({"selector": "a=b", "rolling": 65})"),
              HasSubstr("rolling: must be a whole number from 1 to 64"));
  EXPECT_THAT(error("drain", R"({"selector": "a=b", "rolling": 1, "spare": 17})"), HasSubstr("from 1 to 16"));
  EXPECT_THAT(error("how_many_fit", R"({"name": "a", "upTo": 1})"), HasSubstr("from 2 to 10000"));
  EXPECT_THAT(error("what_if", R"({"name": "a", "addNodes": 1001, "like": "n"})"),
              HasSubstr("from 1 to 1000"));
  const auto schema = description_of(*tool_named("drain")).at("inputSchema").at("properties").as_object();
  EXPECT_EQ(schema.at("rolling").at("maximum"), 64);
  EXPECT_EQ(schema.at("spare").at("maximum"), 16);
}

TEST(Tools, AManifestIsAString) {
  EXPECT_THAT(error("nodes_for_pending", R"({"shapes": [{"name": "a"}]})"),
              HasSubstr("shapes: must be a string with YAML or JSON"));
}

TEST(Tools, EachIsDescribed) {
  std::set<std::string_view> names;
  for (const auto& tool : tools()) {
    EXPECT_TRUE(names.insert(tool.name).second) << tool.name;
    const auto description = description_of(tool);
    EXPECT_EQ(description.at("inputSchema").at("type"), "object");
    EXPECT_EQ(description.at("annotations").at("readOnlyHint"), true);
    for (const auto& argument : tool.arguments) {
      const auto& property = description.at("inputSchema").at("properties").at(argument.name);
      EXPECT_FALSE(property.at("description").as_string().empty()) << tool.name << " " << argument.name;
    }
  }
  EXPECT_EQ(tool_named("wy"), nullptr);
}

}  // namespace
}  // namespace podium::mcp
