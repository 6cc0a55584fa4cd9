//! Decisions in words. A message counts only if it is nothing but a yes or a no of these lists.

use crate::model::Verdict;

const YES: &str = "yes|y|yep|yup|yeah|ok|okay|sure|of course|absolutely|perfect|lgtm|looks good|looks good to me|looks great|\
    sounds good|go|go ahead|go for it|do it|please do|ship it|send|send it|approve|approve it|approved|confirm|confirmed|\
    ja|👍|:+1:|✅";
const NO: &str = "no|n|nope|don't|do not|please don't|don't do it|don't send|don't send it|do not send it|reject|\
    reject it|rejected|deny|decline|cancel|cancel it|cancel that|stop|stop it|never mind|nevermind|forget it|\
    leave it|rather not|nein|👎";
const POLITE: &str = "please|thanks|thank|you|alfred|now|bitte|danke";
/// First words of a decision that names its card. "Cancel" and "send" could mean another thing than the card.
const NAMING: [(&str, Verdict); 4] = [
    ("approve ", Verdict::Approve),
    ("confirm ", Verdict::Approve),
    ("reject ", Verdict::Reject),
    ("deny ", Verdict::Reject),
];
/// Words that name nothing by themselves.
const PARTICLES: &str = "the|a|an|my|it|this|that|one|to|for|of|with|please|alfred";

/// The decision of a message such as "Yes, go ahead" or "No, use the Berlin address", with the reason after a no.
pub fn decision(text: &str) -> Option<(Verdict, Option<String>)> {
    let text = plain(text);
    let folded = folded(text);
    let parts = folded.split([',', '.', '!', ';']).map(without_courtesy);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    for (list, verdict) in [(YES, Verdict::Approve), (NO, Verdict::Reject)] {
        if !parts.is_empty() && parts.iter().all(|part| has(list, part)) {
            return Some((verdict, None));
        }
    }
    let (first, reason) = text.split_once([',', ':', '–', '—'])?;
    let is_no = has(NO, &self::folded(first)) && !reason.trim().is_empty();
    is_no.then(|| (Verdict::Reject, Some(reason.trim().to_owned())))
}

/// The decision of a message such as "approve the message to Ben", and the words that name its card.
pub fn naming(text: &str) -> Option<(Verdict, String)> {
    let text = folded(plain(text));
    let mut naming = NAMING.iter();
    naming.find_map(|(first, verdict)| Some((*verdict, text.strip_prefix(first)?.to_owned())))
}

/// Whether all words of a name are in the title, at least one of them no particle.
pub fn names(name: &str, title: &str) -> bool {
    let title = folded(title);
    let known: Vec<&str> = words(&title).collect();
    let telling: Vec<&str> = words(name).filter(|word| !has(PARTICLES, word)).collect();
    !telling.is_empty() && telling.iter().all(|word| known.contains(word))
}

fn has(list: &str, words: &str) -> bool {
    list.split('|').any(|one| one == words)
}

fn plain(text: &str) -> &str {
    text.trim_matches(|c: char| "*_~`\"' ".contains(c))
}

fn folded(text: &str) -> String {
    text.trim().replace('’', "'").to_lowercase()
}

fn without_courtesy(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    let whole = words.join(" ");
    if has(YES, &whole) || has(NO, &whole) {
        return whole;
    }
    let telling = words.into_iter().filter(|word| !has(POLITE, word));
    telling.collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_are_decisions() {
        let yes = "yes|Yes!|LGTM|Go ahead, please|ok thanks|Ja, bitte!|👍|*approve*|Yes, do it|\
            looks good, go ahead|send it.|sure, thank you Alfred|please do|Looks great, send!";
        let no = "No.|cancel|Stop!|don't send it, please|don’t send|never mind|no thanks";
        for (texts, verdict) in [(yes, Verdict::Approve), (no, Verdict::Reject)] {
            for text in texts.split('|') {
                assert_eq!(decision(text), Some((verdict, None)), "{text}");
            }
        }
        let reason = Some("use the Berlin address".to_owned());
        let no = decision("No, use the Berlin address");
        assert_eq!(no, Some((Verdict::Reject, reason)));
    }

    #[test]
    fn anything_more_is_an_ordinary_message() {
        let texts = "yes but change the subject|ok, wait|go ahead and book a room too|yes, send it to Ben instead|\
            sure, but not before noon|approve all my expenses|is it ok?|yes?|do it tomorrow|not ok|perfect weather|\
            stop by the bakery|cancel the meeting with Ana|no yes|yes, no|no idea what that is|thanks|please|";
        for text in texts.split('|') {
            assert_eq!(decision(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_words_of_a_title() {
        let title = "Send a Slack message: Ben (@ben)";
        let decided = |text| naming(text).filter(|(_, name)| names(name, title));
        let (yes, no) = ("Approve the message to Ben", "reject the one to Ben please");
        assert_eq!(decided(yes).unwrap().0, Verdict::Approve);
        assert_eq!(decided(no).unwrap().0, Verdict::Reject);
        let others =
            "approve the message to Carla|approve it|approve the one|cancel the message to Ben";
        for text in others.split('|') {
            assert!(decided(text).is_none(), "{text}");
        }
    }
}
