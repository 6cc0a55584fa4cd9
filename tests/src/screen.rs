use alfred_agent::slack::rich_text::as_text;
use serde_json::Value;

/// The text of a message and its blocks, in plain lines.
pub fn shown(text: &str, blocks: &[Value]) -> String {
    lines(text, blocks, false)
}

/// Like `shown`, with pictures and buttons: `[picture: A day]`, `[Approve]`.
pub fn seen(text: &str, blocks: &[Value]) -> String {
    lines(text, blocks, true)
}

fn lines(text: &str, blocks: &[Value], everything: bool) -> String {
    let mut lines = Vec::new();
    for block in blocks {
        if block["type"] == "rich_text" {
            lines.push(as_text(std::slice::from_ref(block)));
            continue;
        }
        if everything && block["type"] == "image" {
            let alt = block["alt_text"].as_str().unwrap();
            lines.push(format!("[picture: {alt}]"));
        }
        lines.extend(block["text"]["text"].as_str().map(str::to_owned));
        for element in block["elements"].as_array().into_iter().flatten() {
            match element["text"]["text"].as_str() {
                Some(button) if everything => lines.push(format!("[{button}]")),
                _ => lines.extend(element["text"].as_str().map(str::to_owned)),
            }
        }
    }
    if lines.is_empty() {
        return text.to_owned();
    }
    lines.join("\n")
}
