# Reads a template, expands its loops, points each function at BUCKET/LOGICAL-ID.zip, translates.
import json, re, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

# The part of AWS::LanguageExtensions that the template uses. CloudFormation replaces a loop's variable in the keys of
# the loop's body, in Fn::Sub and in Ref, and nowhere else.
EXTENSIONS = "AWS::LanguageExtensions"

def filled(text, items):
    return re.sub(r"\$\{(\w+)\}", lambda found: items.get(found[1], found[0]), text)

def expanded(node, items):
    if isinstance(node, list):
        return [expanded(one, items) for one in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("Ref"), str):
        return items.get(node["Ref"], node)
    if isinstance(node.get("Fn::Sub"), str):
        text = filled(node["Fn::Sub"], items)
        return {"Fn::Sub": text} if "${" in text else text
    if "Fn::Sub" in node:
        text, values = node["Fn::Sub"]
        return {"Fn::Sub": [filled(text, items), expanded(values, items)]}
    result = {}
    for key, value in node.items():
        if key.startswith("Fn::ForEach::"):
            variable, collection, body = value
            for item in collection:
                inner = {**items, variable: item}
                result.update((filled(name, inner), expanded(one, inner)) for name, one in body.items())
        else:
            result[key] = expanded(value, items)
    return result

with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
if EXTENSIONS in template["Transform"]:
    template["Transform"] = [one for one in template["Transform"] if one != EXTENSIONS]
    template["Resources"] = expanded(template["Resources"], {})
for name, resource in template["Resources"].items():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = {"Bucket": sys.argv[2], "Key": name + ".zip"}
translator = Translator(managed_policy_map={}, sam_parser=Parser())
print(json.dumps(translator.translate(template, {"AWS::Region": "us-east-1"})))
