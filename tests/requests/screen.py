"""Turns Slack's blocks into the plain text that a person reads."""

import re
from datetime import datetime, timezone

PERSON = re.compile(r"<@(U\w+)(?:\|[^>]*)?>")
ROW = 100
"""Elements whose text is longer are written one on a line."""
DATE = re.compile(r"<!date\^(\d+)\^[^|>]*\|[^>]*>")


def plain(text):
    """The text of a text object, or of a button's or option's text."""
    if text is None:
        return ""
    return text if isinstance(text, str) else text.get("text", "")


def readable(text, names):
    """Replaces mentions and dates as Slack shows them. Ana is in Lisbon, where November is UTC."""
    text = PERSON.sub(lambda found: "@" + names.get(found[1], found[1]), text)
    return DATE.sub(lambda found: moment(int(found[1])), text)


def moment(seconds):
    at = datetime.fromtimestamp(seconds, timezone.utc)
    return f"{at:%b} {at.day}, {at.hour % 12 or 12}:{at:%M %p}"


def rich(part):
    """The text of a rich_text block."""
    if isinstance(part, list):
        return "".join(rich(one) for one in part)
    kind = part.get("type")
    if kind == "text":
        return part.get("text", "")
    if kind == "link":
        return part.get("text") or part.get("url", "")
    if kind == "user":
        return f"<@{part.get('user_id')}>"
    if kind == "emoji":
        return f":{part.get('name')}:"
    if kind == "date":
        return part.get("fallback", "")
    ends_line = kind in ("rich_text_section", "rich_text_preformatted", "rich_text_quote")
    return rich(part.get("elements", [])) + ("\n" if ends_line else "")


def element(one):
    kind = one["type"]
    if kind == "button":
        return f"[{plain(one['text'])}]"
    options = " | ".join(plain(option["text"]) for option in one.get("options", []))
    return f"   <{kind}: {options}>"


def field(block):
    """One line for a field of a form: label, hint and content."""
    one = block["element"]
    if one["type"] == "plain_text_input":
        content = one.get("initial_value", "")
    else:
        chosen = one.get("initial_options") or [one.get("initial_option")]
        marks = ("[x]" if option in chosen else "[ ]" for option in one.get("options", []))
        labels = (plain(option["text"]) for option in one.get("options", []))
        content = " | ".join(mark + label for mark, label in zip(marks, labels))
    hint = f" ({plain(block['hint'])})" if block.get("hint") else ""
    return f"  field “{plain(block['label'])}”{hint}: {content}"


def block_lines(block):
    kind = block["type"]
    if kind == "section":
        parts = [plain(block["text"])] if block.get("text") else []
        parts += [plain(one) for one in block.get("fields") or []]
        return parts + ([element(block["accessory"])] if block.get("accessory") else [])
    if kind == "header":
        return ["# " + plain(block["text"])]
    if kind == "context":
        return ["  ~ " + " ".join(plain(one) or one.get("alt_text", "") for one in block["elements"])]
    if kind == "actions":
        row = [element(one) for one in block["elements"]]
        together = " ".join(row)
        return [together] if len(together) <= ROW else row
    if kind == "image":
        return [f"[picture: {block.get('alt_text', '')}]"]
    if kind == "rich_text":
        return [rich(block)]
    if kind == "input":
        return [field(block)]
    if kind == "context_actions":
        return []  # The thumbs, which every answer has.
    return ["---"] if kind == "divider" else [f"<{kind}>"]


def lines(blocks, names):
    """What a message's or a form's blocks show, line by line, without empty lines."""
    text = "\n".join(line for block in blocks or [] for line in block_lines(block))
    return [line.rstrip() for line in readable(text, names).split("\n") if line.strip()]


def buttons(message):
    """The (label, action) of each button, from top to bottom."""
    found = []
    for block in message.get("blocks") or []:
        elements = block.get("elements", []) if block["type"] == "actions" else [block.get("accessory") or {}]
        found += [(plain(one["text"]), one["action_id"]) for one in elements if one.get("type") == "button"]
    return found
