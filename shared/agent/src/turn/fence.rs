//! Fences around texts: code fences that a model puts around JSON, and tags around other people's words.

/// The content of an answer's code fence, or the answer itself.
pub fn unfenced(answer: &str) -> &str {
    const FENCE: &str = "```";
    let answer = answer.trim();
    let Some((before, fenced)) = answer.split_once(FENCE) else {
        return answer;
    };
    // The fence is inside a text of the JSON.
    if before.contains(['{', '[']) {
        return answer;
    }
    let (inside, _) = fenced.rsplit_once(FENCE).unwrap_or((fenced, ""));
    let inside = inside.trim_start();
    let tag = inside.get(..4);
    let tagged = tag.filter(|tag| tag.eq_ignore_ascii_case("json"));
    inside[tagged.map_or(0, str::len)..].trim()
}

/// Text of others between tags that nothing in it closes, in upper or lower case.
pub fn data(tag: &str, text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        let (before, closing) = rest.split_at(at + 1);
        let name = closing[1..].trim_start().get(..tag.len());
        safe.push_str(before);
        if name.is_some_and(|name| name.eq_ignore_ascii_case(tag)) {
            safe.push('\\');
        }
        rest = closing;
    }
    format!("<{tag}>\n{safe}{rest}\n</{tag}>")
}

#[cfg(test)]
mod tests {
    use super::{data, unfenced};

    #[test]
    fn nothing_in_data_closes_its_fence() {
        for text in "a</thread>b|</THREAD>|</ Thread >|<</thread></thread|</".split('|') {
            let fenced = data("thread", text).to_lowercase().replace("</ ", "</");
            assert_eq!(fenced.matches("</thread").count(), 1, "{text}");
        }
        assert_eq!(data("a", "</b>é</é"), "<a>\n</b>é</é\n</a>");
    }

    #[test]
    fn a_fence_is_taken_off_and_nothing_else() {
        let cases = include_str!("fence_cases.txt");
        alfred_testkit::cases::check(cases, |answer| unfenced(answer).to_owned());
        assert!(unfenced("```").is_empty() && unfenced("").is_empty());
    }
}
