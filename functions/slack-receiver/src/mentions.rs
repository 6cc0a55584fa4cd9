use std::ops::Range;

#[derive(Debug, PartialEq, Eq)]
pub struct Called {
    pub text: String,
    pub mentioned: bool,
}

/// A mention inside code is quoted text and stays.
pub fn take_out(text: &str, bots: &[String]) -> Called {
    let found = mentions(text)
        .filter(|mention| bots.iter().any(|bot| bot == mention.user))
        .map(|mention| mention.at)
        .collect::<Vec<_>>();
    Called {
        text: without(text, &found),
        mentioned: !found.is_empty(),
    }
}

/// Used if Slack reports a mention but not Alfred's user id.
pub fn take_out_leading(text: &str) -> String {
    let lead = text.len() - text.trim_start().len();
    let first = mentions(text).next().map(|mention| mention.at);
    let leading = first.filter(|first| first.start == lead);
    without(text, leading.as_slice())
}

/// Removes the names in `<#C1|general>` and similar, leaving the id: other people chose the names.
pub fn unnamed(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        said.push_str(before);
        let inside = from.find('>').map_or("<", |end| &from[..end]);
        let names = ["<@", "<#", "<!subteam^"];
        said.push_str(match inside.split_once('|') {
            Some((id, _)) if names.iter().any(|sign| id.starts_with(sign)) => id,
            _ => inside,
        });
        rest = &from[inside.len()..];
    }
    said.push_str(rest);
    said
}

struct Mention<'a> {
    at: Range<usize>,
    user: &'a str,
}

/// Slack writes a mention as `<@U1>`, or `<@U1|name>`.
fn mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text[from..].find(['<', '`'])?;
            if let Some(code) = code_length(&text[at..]) {
                from = at + code;
                continue;
            }
            from = at + 1;
            let inner = text[at..].strip_prefix("<@");
            let Some((inner, _)) = inner.and_then(|inner| inner.split_once('>')) else {
                continue;
            };
            from = at + "<@".len() + inner.len() + 1;
            let user = inner.split('|').next().unwrap_or_default();
            let at = at..from;
            return Some(Mention { at, user });
        }
    })
}

fn code_length(text: &str) -> Option<usize> {
    const FENCE: &str = "```";
    if let Some(block) = text.strip_prefix(FENCE) {
        return Some(match block.find(FENCE) {
            Some(length) => length + 2 * FENCE.len(),
            None => FENCE.len(),
        });
    }
    let span = text.strip_prefix('`')?;
    let line = span.split('\n').next().unwrap_or_default();
    Some(line.find('`').map_or(1, |length| length + 2))
}

fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut said = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        join(&mut said, &text[from..range.start], from > 0);
        from = range.end;
    }
    join(&mut said, &text[from..], from > 0);
    if from > 0 {
        said.truncate(said.trim_end().len());
    }
    said
}

/// Appends the next part. After a removed mention, its whitespace and punctuation are removed too.
fn join(said: &mut String, next: &str, behind_mention: bool) {
    if !behind_mention {
        said.push_str(next);
        return;
    }
    said.truncate(said.trim_end_matches([' ', '\t']).len());
    let mut next = next.trim_start_matches([' ', '\t']);
    if next.is_empty() || next.starts_with(['\n', ',', '.', ';', ':', '!', '?']) {
        said.truncate(said.trim_end_matches(',').len());
    }
    if said.is_empty() || said.ends_with('\n') {
        next = next.trim_start_matches([',', ':']);
        next = if next.starts_with('\n') || said.is_empty() {
            next.trim_start()
        } else {
            next.trim_start_matches([' ', '\t'])
        };
    } else if !next.is_empty()
        && !next.starts_with(|c: char| c.is_whitespace() || ",.;:!?)]}".contains(c))
        && !said.ends_with(['(', '[', '{'])
    {
        said.push(' ');
    }
    said.push_str(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        take_out(text, &["UBOT".to_owned()]).text
    }

    #[test]
    fn what_is_left_reads_as_if_nobody_had_been_called() {
        for case in include_str!("mentions_cases.txt").lines() {
            let case = case.replace("\\n", "\n");
            let (text, left) = case.split_once(" ==> ").unwrap();
            assert_eq!(said(text), left, "{text:?}");
        }
        assert_eq!(said("<@UBOT>") + &said(" <@UBOT> <@UBOT|alfred> "), "");
    }

    #[test]
    fn what_is_no_call_stays_as_it_was_written() {
        for text in [
            "  nobody  ",
            "<@UBOTS> <@UBEN>",
            "<@UBOT",
            "&lt;@UBOT&gt;",
            "write `<@UBOT>` in it",
            "```\n<@UBOT> a\n``` ",
            "<@> <@|x> <",
        ] {
            let called = take_out(text, &["UBOT".to_owned()]);
            assert_eq!((called.text.as_str(), called.mentioned), (text, false));
        }
        assert_eq!(said("<@UBOT> send `<@UBOT>`"), "send `<@UBOT>`");
        assert_eq!(said("a ` b <@UBOT> c"), "a ` b c", "no code without an end");
        assert_eq!(said("a ` b\n<@UBOT> ` c"), "a ` b\n` c", "nor across lines");
    }

    #[test]
    fn without_knowing_whom_only_the_leading_mention_goes() {
        assert_eq!(take_out_leading("<@UX>: ask <@UBEN>"), "ask <@UBEN>");
        assert_eq!(take_out_leading(" <@UX|a> hi"), "hi");
        for text in ["ask <@UBEN>", "`<@UX>` a", " plain "] {
            assert_eq!(take_out_leading(text), text);
        }
    }

    #[test]
    fn names_that_others_chose_are_left_out() {
        for (text, left) in [
            ("in <#C1|obey-this> <@U2|ben>", "in <#C1> <@U2>"),
            ("<!subteam^S1|@all-hands>!", "<!subteam^S1>!"),
            ("<https://x.example|a link>", "<https://x.example|a link>"),
            ("a < b | c > d <#C1> <", "a < b | c > d <#C1> <"),
            ("<@U1|never ends", "<@U1|never ends"),
        ] {
            assert_eq!(unnamed(text), left);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_of_the_request_is_lost(words in proptest::collection::vec("[a-z]{1,6}|<@UBOT>|<@UBEN>|[,.?]|é", 0..20)) {
            let left = said(&words.join(" "));
            let kept = |text: &str| text.chars().filter(|c| !c.is_whitespace() && !",.?".contains(*c)).collect::<String>();
            proptest::prop_assert_eq!(kept(&left), kept(&words.join(" ").replace("<@UBOT>", "")));
        }
    }
}
