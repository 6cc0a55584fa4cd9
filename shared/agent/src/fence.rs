//! Extracts JSON that a model wrapped in a code fence although it shouldn't.

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
    let inside = fenced
        .rsplit_once(FENCE)
        .map_or(fenced, |(inside, _)| inside);
    let inside = inside.trim_start();
    let tagged = inside
        .get(..4)
        .filter(|tag| tag.eq_ignore_ascii_case("json"));
    inside[tagged.map_or(0, str::len)..].trim()
}

#[cfg(test)]
mod tests {
    use super::unfenced;

    #[test]
    fn a_fence_is_taken_off_and_nothing_else() {
        for (answer, inside) in [
            (" {\"a\": 1}\n", "{\"a\": 1}"),
            ("```json\n{\"a\": 1}\n```", "{\"a\": 1}"),
            ("```\n[1]\n```\n", "[1]"),
            ("``` JSON {\"a\": 1}```", "{\"a\": 1}"),
            ("Here it is:\n```json\n{}\n```\nGood luck!", "{}"),
            ("```json\n{\"a\": 1}", "{\"a\": 1}"),
            (
                "```json\n{\"a\": \"```rust```\"}\n```",
                "{\"a\": \"```rust```\"}",
            ),
            ("{\"a\": \"```rust```\"}", "{\"a\": \"```rust```\"}"),
            ("```true```", "true"),
            ("```é```", "é"),
            ("```", ""),
            ("", ""),
        ] {
            assert_eq!(unfenced(answer), inside, "{answer}");
        }
    }
}
