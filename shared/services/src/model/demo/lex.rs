//! A message as words.

/// A word of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As written, without punctuation around it.
    pub(super) text: String,
    /// In lower case, without accents and apostrophes.
    pub(super) low: String,
    /// The punctuation after it, if it ends a clause: one of `, . ; : ! ?` or a line break.
    pub(super) end: Option<char>,
    /// Whether it stood in quotes.
    pub(super) quoted: bool,
}

/// Splits a message into words. Slack's mark-up becomes what it stands for.
pub(super) fn words(message: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut quoted = false;
    for line in plain(message).lines() {
        for raw in line.split_whitespace() {
            for piece in pieces(raw) {
                push(&mut words, &piece, &mut quoted);
            }
        }
        if let Some(last) = words.last_mut()
            && last.end.is_none()
        {
            last.end = Some('\n');
        }
    }
    if let Some(last) = words.last_mut()
        && last.end == Some('\n')
    {
        last.end = None;
    }
    words
}

fn push(words: &mut Vec<Word>, raw: &str, quoted: &mut bool) {
    if raw == "-" || raw == "->" || raw == "+" || raw == "@" || raw == "&" || raw == "w/" {
        words.push(Word {
            text: raw.into(),
            low: raw.into(),
            end: None,
            quoted: *quoted,
        });
        return;
    }
    if raw.starts_with('"') {
        *quoted = true;
    }
    let text = raw.trim_matches(|c: char| ",.;:!?\"'()[]*_~`…".contains(c));
    let tail = raw
        .rsplit(|c: char| c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let end = tail.chars().find(|c| ",.;:!?".contains(*c));
    if text.is_empty() {
        if let Some(last) = words.last_mut() {
            last.end = last.end.or(end);
        }
    } else {
        words.push(Word {
            text: text.into(),
            low: fold(text),
            end,
            quoted: *quoted,
        });
    }
    if tail.contains('"') {
        *quoted = false;
    }
}

/// Takes `9-11`, `13:00–14:30` and `45-minute` apart, dates not.
fn pieces(raw: &str) -> Vec<String> {
    let raw = raw.replace(['–', '—'], "-").replace('→', "->");
    let bare = raw.trim_matches(|c: char| !c.is_alphanumeric());
    let year = bare.split('-').next().unwrap_or_default();
    let is_date =
        year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()) && bare.split('-').count() >= 3;
    let Some((left, right)) = raw.split_once('-') else {
        return vec![raw];
    };
    let hour_before = left
        .trim_start_matches('(')
        .starts_with(|c: char| c.is_ascii_digit());
    if is_date || !hour_before || right.is_empty() || right.starts_with('>') {
        return vec![raw];
    }
    if right.starts_with(|c: char| c.is_ascii_digit()) {
        vec![left.into(), "-".into(), right.into()]
    } else {
        vec![left.into(), right.into()]
    }
}

/// Slack's `<@U1>`, `<mailto:a@b|a@b>`, `<https://…|text>` and entities as plain text, quotes straight.
fn plain(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let Some((inside, behind)) = after.split_once('>') else {
            text.push('<');
            rest = after;
            continue;
        };
        let (target, label) = inside.split_once('|').unwrap_or((inside, inside));
        let shown = if target.starts_with(['@', '#', '!']) {
            target.trim_start_matches(['@', '#', '!'])
        } else {
            label.trim_start_matches("mailto:")
        };
        text.push_str(shown);
        rest = behind;
    }
    text.push_str(rest);
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .replace(['\u{2018}', '\u{2019}'], "'")
        .replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"")
}

/// Lower case, without accents and apostrophes.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\'' => {}
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => folded.push('a'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'ď' | 'đ' => folded.push('d'),
            'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => folded.push('e'),
            'ğ' => folded.push('g'),
            'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => folded.push('i'),
            'ł' => folded.push('l'),
            'ñ' | 'ń' | 'ň' => folded.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => folded.push('o'),
            'ř' => folded.push('r'),
            'ś' | 'š' | 'ş' | 'ș' => folded.push('s'),
            'ß' => folded.push_str("ss"),
            'ț' | 'ţ' | 'ť' => folded.push('t'),
            'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => folded.push('u'),
            'ý' | 'ÿ' => folded.push('y'),
            'ź' | 'ż' | 'ž' => folded.push('z'),
            // Combining marks, which capital İ leaves behind.
            '\u{300}'..='\u{36f}' => {}
            other => folded.push(other),
        }
    }
    folded
}

/// Whether these words stand at this place.
pub(super) fn at(words: &[Word], start: usize, pattern: &[&str]) -> bool {
    words.len() >= start + pattern.len()
        && pattern
            .iter()
            .zip(&words[start..])
            .all(|(low, word)| *low == word.low)
}

/// Where these words first stand one after the other.
pub(super) fn find(words: &[Word], pattern: &[&str]) -> Option<usize> {
    (0..words.len()).find(|&start| at(words, start, pattern))
}

/// Whether any of these words is there; several words in one go with blanks between them.
pub(super) fn has(words: &[Word], any: &[&str]) -> bool {
    any.iter().any(|phrase| {
        let pattern: Vec<&str> = phrase.split(' ').collect();
        find(words, &pattern).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lows(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.low).collect()
    }

    #[test]
    fn marks_and_punctuation_are_taken_off() {
        assert_eq!(lows("What's   \"São Paulo\"?"), ["whats", "sao", "paulo"]);
        assert_eq!(
            lows("do you know <@U0BEN>?"),
            ["do", "you", "know", "u0ben"]
        );
        assert_eq!(lows("<mailto:a@b.io|a@b.io> &amp; c"), ["a@b.io", "&", "c"]);
        assert_eq!(lows("<!channel> hi"), ["channel", "hi"]);
    }

    #[test]
    fn ranges_come_apart_and_dates_stay() {
        assert_eq!(
            lows("9-11 2026-12-03 45-minute e-mail"),
            ["9", "-", "11", "2026-12-03", "45", "minute", "e-mail"]
        );
        assert_eq!(
            lows("13:00–14:30, 7am-8am"),
            ["13:00", "-", "14:30", "7am", "-", "8am"]
        );
    }

    #[test]
    fn ends_of_clauses_are_kept() {
        let list = words("a, b. c\nd (2h)");
        let ends: Vec<Option<char>> = list.iter().map(|word| word.end).collect();
        assert_eq!(ends, [Some(','), Some('.'), Some('\n'), None, None]);
    }
}
