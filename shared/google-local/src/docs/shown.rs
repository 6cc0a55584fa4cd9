//! A document as `documents.get` gives it (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents>).

use serde_json::{Map, Value, json};

use super::body::{Look, Mark, Tab, Unit};

/// Which suggestions are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    Inline,
    Accepted,
    Without,
}

impl View {
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "SUGGESTIONS_INLINE",
            Self::Accepted => "PREVIEW_SUGGESTIONS_ACCEPTED",
            Self::Without => "PREVIEW_WITHOUT_SUGGESTIONS",
        }
    }
}

/// A `DocumentTab`.
pub(super) fn tab(tab: &Tab, view: View) -> Value {
    let mut tab = tab.clone();
    if view != View::Inline {
        tab.settle(view == View::Accepted);
    }
    let lists = tab.lists.iter();
    let lists: Map<String, Value> = lists
        .map(|(id, preset)| {
            (
                list_id(*id),
                json!({"listProperties": {"nestingLevels": levels(preset)}}),
            )
        })
        .collect();
    let mut ranges: Map<String, Value> = Map::new();
    for named in &tab.named {
        let place =
            json!({"startIndex": named.range.start, "endIndex": named.range.end, "tabId": tab.id});
        let one = json!({"namedRangeId": named.id, "name": named.name, "ranges": [place]});
        let all = ranges.entry(&named.name);
        let all = all.or_insert_with(|| json!({"name": named.name, "namedRanges": []}));
        if let Some(all) = all["namedRanges"].as_array_mut() {
            all.push(one);
        }
    }
    json!({
        "body": {"content": content(&tab.units, 0)},
        "lists": lists,
        "namedRanges": ranges,
        "documentStyle": {},
    })
}

fn list_id(id: u64) -> String {
    format!("kix.list{id}")
}

fn levels(preset: &str) -> Vec<Value> {
    let numbered = ["DECIMAL", "ALPHA", "ROMAN"];
    let signs = ["\u{25cf}", "\u{25cb}", "\u{25a0}"];
    let level = |at: usize| match preset.starts_with("NUMBERED") {
        true => {
            json!({"glyphType": numbered[at % 3], "glyphFormat": format!("%{at}."), "startNumber": 1})
        }
        false => json!({"glyphSymbol": signs[at % 3], "glyphFormat": format!("%{at}")}),
    };
    (0..9).map(level).collect()
}

/// Structural elements of units that begin at this index.
fn content(units: &[Unit], base: usize) -> Vec<Value> {
    let (mut made, mut at) = (Vec::new(), 0);
    while let Some(first) = units.get(at) {
        let start = base + at;
        match first.mark {
            Mark::Section => {
                made.push(json!({"endIndex": start + 1, "sectionBreak": {"sectionStyle": {}}}));
                at += 1;
            }
            Mark::TableStart => {
                let end = at + table_length(&units[at..]);
                let table = table(&units[at..end], start);
                made.push(json!({"startIndex": start, "endIndex": base + end, "table": table}));
                at = end;
            }
            _ => {
                let inside = units[at..].iter().take_while(|unit| !unit.is_newline());
                let end = units.len().min(at + inside.count() + 1);
                let paragraph = paragraph(&units[at..end], start);
                made.push(
                    json!({"startIndex": start, "endIndex": base + end, "paragraph": paragraph}),
                );
                at = end;
            }
        }
    }
    made
}

/// How many units a table has, with those of tables in it.
pub(super) fn table_length(units: &[Unit]) -> usize {
    let mut depth = 0_usize;
    for (at, unit) in units.iter().enumerate() {
        match unit.mark {
            Mark::TableStart => depth += 1,
            Mark::TableEnd if depth == 1 => return at + 1,
            Mark::TableEnd => depth -= 1,
            _ => {}
        }
    }
    units.len()
}

fn table(units: &[Unit], base: usize) -> Value {
    let inside = 1..units.len() - 1;
    let rows = split(units, inside, Mark::RowStart).into_iter();
    let rows: Vec<Value> = rows
        .map(|row| {
            let cells = split(units, row.start + 1..row.end, Mark::CellStart).into_iter();
            let cells = cells.map(|cell| {
                let content = content(&units[cell.start + 1..cell.end], base + cell.start + 1);
                json!({"startIndex": base + cell.start, "endIndex": base + cell.end, "content": content})
            });
            let cells: Vec<Value> = cells.collect();
            json!({"startIndex": base + row.start, "endIndex": base + row.end, "tableCells": cells})
        })
        .collect();
    let columns = rows.first().and_then(|row| row["tableCells"].as_array());
    json!({"rows": rows.len(), "columns": columns.map_or(0, Vec::len), "tableRows": rows})
}

/// Parts that begin with a mark, outside of tables inside.
fn split(units: &[Unit], range: std::ops::Range<usize>, mark: Mark) -> Vec<std::ops::Range<usize>> {
    let (mut starts, mut at) = (Vec::new(), range.start);
    while at < range.end {
        match units[at].mark {
            found if found == mark => starts.push(at),
            Mark::TableStart => at += table_length(&units[at..]) - 1,
            _ => {}
        }
        at += 1;
    }
    let ends = starts.iter().skip(1).copied().chain([range.end]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| start..end)
        .collect()
}

fn paragraph(units: &[Unit], base: usize) -> Value {
    let alike = |a: &Unit, b: &Unit| {
        let key = |unit: &Unit| (unit.traits.inserted, unit.traits.deleted);
        a.mark != Mark::Object
            && b.mark != Mark::Object
            && key(a) == key(b)
            && a.traits.look == b.traits.look
    };
    let (mut elements, mut start) = (Vec::new(), base);
    for run in units.chunk_by(alike) {
        elements.push(element(run, start));
        start += run.len();
    }
    let style = units.last().map(|unit| unit.traits.paragraph.clone());
    let style = style.unwrap_or_default();
    let mut shown = json!({
        "elements": elements,
        "paragraphStyle": {"namedStyleType": style.named_style, "direction": "LEFT_TO_RIGHT"},
    });
    if style.indented {
        shown["paragraphStyle"]["indentStart"] = json!({"magnitude": 36, "unit": "PT"});
    }
    if let Some((list, level)) = style.bullet {
        shown["bullet"] = json!({"listId": list_id(list)});
        if level > 0 {
            shown["bullet"]["nestingLevel"] = json!(level);
        }
    }
    shown
}

fn element(run: &[Unit], start: usize) -> Value {
    let traits = &run[0].traits;
    let mut inside = json!({"textStyle": look(&traits.look)});
    for (field, id) in [
        ("suggestedInsertionIds", traits.inserted),
        ("suggestedDeletionIds", traits.deleted),
    ] {
        if let Some(id) = id {
            inside[field] = json!([format!("suggest.{id}")]);
        }
    }
    let name = match (run[0].mark, &traits.person) {
        (Mark::Object, Some(name)) => {
            inside["personProperties"] = json!({"name": name, "email": "someone@example.com"});
            "person"
        }
        (Mark::Object, None) => {
            inside["inlineObjectId"] = json!("kix.object");
            "inlineObjectElement"
        }
        _ => {
            let codes = run.iter().filter_map(|unit| match unit.mark {
                Mark::Code(code) => Some(code),
                _ => None,
            });
            inside["content"] = json!(String::from_utf16_lossy(&codes.collect::<Vec<u16>>()));
            "textRun"
        }
    };
    json!({"startIndex": start, "endIndex": start + run.len(), name: inside})
}

fn look(look: &Look) -> Value {
    let mut shown = json!({});
    for (name, is) in [
        ("bold", look.bold),
        ("italic", look.italic),
        ("strikethrough", look.strikethrough),
    ] {
        if is {
            shown[name] = json!(true);
        }
    }
    if let Some(url) = &look.link {
        shown["link"] = json!({"url": url});
        shown["underline"] = json!(true);
    }
    if let Some(font) = &look.font {
        shown["weightedFontFamily"] = json!({"fontFamily": font, "weight": 400});
    }
    shown
}
