# Reads a template, points each function at BUCKET/LOGICAL-ID.zip, translates.
import json, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse
with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
for name, resource in template["Resources"].items():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = {"Bucket": sys.argv[2], "Key": name + ".zip"}
translator = Translator(managed_policy_map={}, sam_parser=Parser())
print(json.dumps(translator.translate(template, {"AWS::Region": "us-east-1"})))
