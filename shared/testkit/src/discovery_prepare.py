# Makes calls.json of the discovery documents in the package that the first folder holds: a JSON Schema of each method's
# calls. The documents alone are a hundredth of the package.
import glob, json, re, sys, zipfile

PATTERNS = {
    "int64": "^-?[0-9]{1,19}$",
    "uint64": "^[0-9]{1,20}$",
    "byte": "^[A-Za-z0-9+/_-]*={0,2}$",
    "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "date-time": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)$",
}
PATTERNS["google-datetime"] = PATTERNS["date-time"]
NOTHING = {"enum": [None, {}]}


def schema(described):
    """Properties that aren't named are refused, and a 64-bit number is a text."""
    if "$ref" in described:
        return {"$ref": "#/$defs/" + described["$ref"]}
    made = {}
    if described.get("type", "any") != "any":
        made["type"] = described["type"]
    if described.get("format") in PATTERNS:
        made["pattern"] = PATTERNS[described["format"]]
    if "enum" in described:
        made["enum"] = described["enum"]
    if "items" in described:
        made["items"] = schema(described["items"])
    if "properties" in described:
        made["properties"] = schemas(described["properties"])
        made["additionalProperties"] = False
    if "additionalProperties" in described:
        made["additionalProperties"] = schema(described["additionalProperties"])
    return made


def schemas(described):
    return {name: schema(one) for name, one in described.items()}


def values(parameter):
    """The values of a parameter, whose bounds the documents write as texts."""
    bounds = {bound: int(parameter[bound]) for bound in ("minimum", "maximum") if bound in parameter}
    made = {"items": schema(parameter) | bounds}
    return made if parameter.get("repeated") else made | {"maxItems": 1}


def query(method, common):
    own = {name: one for name, one in method.get("parameters", {}).items() if one["location"] == "query"}
    return {
        "properties": {name: values(one) for name, one in (common | own).items()},
        "required": [name for name, one in own.items() if one.get("required")],
        "additionalProperties": False,
    }


def path(method, base):
    """A placeholder stands for a segment, or for a part of it."""
    templates = sorted({base + method[name] for name in ("flatPath", "path") if name in method})
    if "mediaUpload" in method:
        templates.append(method["mediaUpload"]["protocols"]["simple"]["path"].lstrip("/"))
    literal = [re.sub(r"[.$()+*?^|\[\]\\]", r"\\\g<0>", template) for template in templates]
    return "^/(" + "|".join(re.sub(r"{[^}]*}", "[^/]+", one) for one in literal) + ")$"


def call(method, document):
    return {
        "properties": {
            "verb": {"const": method["httpMethod"]},
            "path": {"pattern": path(method, document["servicePath"])},
            "query": query(method, document["parameters"]),
            "body": schema(method["request"]) if "request" in method else NOTHING,
            "answer": schema(method["response"]) if "response" in method else NOTHING,
        }
    }


def methods(of):
    yield from of.get("methods", {}).values()
    for resource in of.get("resources", {}).values():
        yield from methods(resource)


folder = sys.argv[1]
wheel = zipfile.ZipFile(glob.glob(folder + "/*.whl")[0])
made = {}
for name in sys.argv[2:]:
    document = json.loads(wheel.read("googleapiclient/discovery_cache/documents/" + name))
    calls = {method["id"]: call(method, document) for method in methods(document)}
    made[document["name"]] = {"calls": calls, "$defs": schemas(document["schemas"])}
json.dump(made, open(folder + "/calls.json", "w"))
