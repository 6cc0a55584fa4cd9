"""Reports what Microsoft's models for Python don't know of Graph's bodies: fields, types and values of enums. Reads
JSON lines [place, model, body, selected fields] and answers each with a JSON list."""
import importlib, json, re, sys

from kiota_serialization_json.json_parse_node import JsonParseNode

wrong = []


class Node(JsonParseNode):
    def __init__(self, node, at):
        super().__init__(node)
        self.at = at

    def _create_new_node(self, node):
        return Node(node, self.at)

    def get_child_node(self, name):
        found = isinstance(self._json_node, dict) and name in self._json_node
        return Node(self._json_node[name], self.at) if found else None

    def _assign_field_values(self, item):
        if not isinstance(self._json_node, dict):
            wrong.append(f"{self.at}: {self._json_node!r} is no {type(item).__name__}")
            return
        fields = item.get_field_deserializers()
        if type(item).__name__.endswith(("Body", "Response")):
            # Graph's documentation writes the parameters of actions in lower case.
            fields |= {name[0].lower() + name[1:]: read for name, read in fields.items()}
        for name, value in self._json_node.items():
            at = f"{self.at}.{name}"
            if name not in fields:
                if "@odata." not in name:
                    wrong.append(f"{at}: {type(item).__name__} has no such field")
            elif value is not None:
                fields[name](Node(value, at))


def strict(name):
    inner = getattr(JsonParseNode, name)

    def read(self, *arguments):
        result = None
        try:
            result = inner(self, *arguments)
        except Exception as error:
            wrong.append(f"{self.at}: {error}")
        lists = name.startswith("get_collection") and not isinstance(self._json_node, list)
        # Kiota gives nothing for a wrong type or an unknown value.
        if result is None or lists:
            wrong.append(f"{self.at}: {self._json_node!r} isn't read by {name}")
        return result

    return read


for name in dir(JsonParseNode):
    if re.fullmatch(r"get_\w+_values?", name) and name != "get_object_value":
        setattr(Node, name, strict(name))


def model_named(model):
    module, name = model.rsplit(".", 1)
    return getattr(importlib.import_module(f"msgraph.generated.{module}"), name)


for line in sys.stdin:
    place, model, body, selected = json.loads(line)
    wrong.clear()
    if body is not None:
        Node(body, place).get_object_value(model_named(model))
    item = model.replace("_collection_response", "").replace("CollectionResponse", "")
    fields = model_named(item)().get_field_deserializers() if selected else {}
    wrong += [f"{place}: {item} has no field {name} to select" for name in selected if name not in fields]
    print(json.dumps(wrong), flush=True)
