//! Whether words are for people.

/// Prefixes of Slack's ids.
const SLACK: [char; 6] = ['U', 'W', 'C', 'D', 'G', 'T'];

/// Nothing in it is for a model or a programmer: no name of a tool or an argument, no id, no digest. What is
/// quoted are somebody's own words.
pub fn is_for_people(words: &str) {
    let mut quoted = false;
    let own = words.chars().filter(|c| {
        quoted = match c {
            '“' => true,
            '”' => false,
            _ => quoted,
        };
        !quoted
    });
    let own: String = own.collect();
    let parts = own.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for word in parts.filter(|word| !word.is_empty()) {
        let begins_small = word.starts_with(char::is_lowercase);
        let argument = begins_small && word.contains(char::is_uppercase) && word != "kB";
        assert!(
            !(argument || is_id(word) || word.contains('_')),
            "\"{word}\" isn't for people: {words}"
        );
    }
    let addressed = own.contains("the person ") || own.contains("the person'");
    assert!(!addressed, "{words}");
}

/// A digest, an id of Slack's, or one of those that are as long as 26 characters.
fn is_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric());
    let long = plain && word.len() >= 16 && digits > 0;
    let capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    long || (word.starts_with(SLACK) && digits > 0 && word.bytes().all(capital))
}

/// Without what Slack shows as a name, a time or an emoji.
pub fn without_marks(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(at) = rest.find(['<', ':']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let end = ["<@", "<!date^"]
            .iter()
            .find(|open| mark.starts_with(**open));
        let end = end.and_then(|_| mark.find('>')).or_else(|| emoji(mark));
        let length = end.unwrap_or_else(|| {
            out.push_str(&mark[..1]);
            0
        });
        rest = &mark[length + 1..];
    }
    out + rest
}

/// Where the name of an emoji ends that begins here: `:tada:`.
fn emoji(mark: &str) -> Option<usize> {
    let name = mark.strip_prefix(':')?.split(':').next()?;
    let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    (named && mark[name.len() + 1..].starts_with(':')).then_some(name.len() + 1)
}
