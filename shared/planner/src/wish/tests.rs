//! Sentences people write, and what they mean.

use super::*;
use proptest::prelude::*;

/// Wishes joined by "; ", then what wasn't understood in brackets.
fn read(text: &str) -> String {
    let feedback = parse_feedback(text);
    let mut parts: Vec<String> = feedback.wishes.iter().map(ToString::to_string).collect();
    parts.extend(
        feedback
            .not_understood
            .iter()
            .map(|part| format!("[{part}]")),
    );
    parts.join("; ")
}

#[test]
fn hours() {
    for (text, meaning) in [
        ("no meetings before 10", "no meetings before 10:00"),
        (
            "No meetings before 10am or after 4, please.",
            "no meetings before 10:00; no meetings after 16:00",
        ),
        (
            "I don't want any meetings after half past three",
            "no meetings after 15:30",
        ),
        ("meetings only after 11", "no meetings before 11:00"),
        ("no meetings in the morning", "no meetings before 12:00"),
        ("no focus work before 9:30", "no focus work before 09:30"),
        ("no focus before 9:30", "no focus work before 09:30"),
        ("focus only in the morning", "no focus work after 12:00"),
        ("start at 8 and finish by 4", "start at 08:00; end at 16:00"),
        ("Start at 10, end at 7", "start at 10:00; end at 19:00"),
        ("I'd like to start work at 7:30", "start at 07:30"),
        ("work from 8 to 3pm", "start at 08:00; end at 15:00"),
        ("work until 18:00", "end at 18:00"),
        ("stop at quarter to five", "end at 16:45"),
    ] {
        assert_eq!(read(text), meaning, "{text}");
    }
}

#[test]
fn blocks() {
    for (text, meaning) in [
        ("lunch at one", "lunch at 13:00"),
        ("Lunch at 12:30 and no breaks", "lunch at 12:30; no breaks"),
        ("move lunch to 1pm", "lunch at 13:00"),
        (
            "lunch from 12 to 12:45",
            "lunch at 12:00; 45 minutes of lunch",
        ),
        ("half an hour for lunch", "30 minutes of lunch"),
        ("skip lunch", "no lunch"),
        (
            "a short lunch at noon",
            "lunch at 12:00; 30 minutes of lunch",
        ),
        ("a shorter lunch", "30 minutes of lunch"),
        ("60-minute focus blocks", "focus blocks of 60 minutes"),
        ("focus blocks of 2 hours", "focus blocks of 120 minutes"),
        ("a break every 45 minutes", "a break every 45 minutes"),
        ("breaks of 10 minutes", "breaks of 10 minutes"),
        ("e-mail at 4", "e-mail at 16:00"),
        (
            "emails at nine, 45 minutes for email",
            "e-mail at 09:00; 45 minutes of e-mail",
        ),
        ("no email", "no e-mail"),
        ("a lighter day please", "at most 240 minutes of focus work"),
        (
            "at most 3 hours of focus work",
            "at most 180 minutes of focus work",
        ),
        (
            "at most 3 hours of work",
            "at most 180 minutes of focus work",
        ),
    ] {
        assert_eq!(read(text), meaning, "{text}");
    }
}

#[test]
fn what_is_said_of_one_day_or_not_understood_is_not_lasting() {
    for (text, lasting) in [
        ("lunch at one, please", true),
        ("no lunch today", false),
        ("tomorrow: lunch at one", false),
        ("No meetings this afternoon", false),
        ("On Mondays, lunch at 11", false),
        ("lunch at 11 on Mondays", false),
        ("Lunch at 3 pm, that was annoying", false),
    ] {
        assert_eq!(parse_feedback(text).is_lasting(), lasting, "{text}");
    }
}

#[test]
fn free_time() {
    for (text, meaning) in [
        ("keep 2 to 3pm free", "keep 14:00–15:00 free"),
        ("Keep the afternoon free", "keep 13:00–24:00 free"),
        ("keep free from 9 to 11", "keep 09:00–11:00 free"),
        ("nothing between 2 and 3", "keep 14:00–15:00 free"),
        ("nothing after 3pm", "keep 15:00–24:00 free"),
        ("I'm away 11-1", "keep 11:00–13:00 free"),
        ("I am out between 9am and 10:30", "keep 09:00–10:30 free"),
    ] {
        assert_eq!(read(text), meaning, "{text}");
    }
}

#[test]
fn titles() {
    for (text, meaning) in [
        ("drop the Tax report", "without \"Tax report\""),
        ("skip gym today", "without \"gym\""),
        (
            "please move Thesis writing to 3pm",
            "\"Thesis writing\" at 15:00",
        ),
        ("do the slides first", "\"slides\" first"),
        (
            "start with \"Quarterly numbers\"",
            "\"Quarterly numbers\" first",
        ),
        (
            "Budget first and lunch at 1",
            "\"Budget\" first; lunch at 13:00",
        ),
    ] {
        assert_eq!(read(text), meaning, "{text}");
    }
}

#[test]
fn what_is_not_understood_is_given_back() {
    for (text, meaning) in [
        ("paint the fence", "[paint the fence]"),
        ("lunch at one, with fries", "lunch at 13:00; [with fries]"),
        (
            "no meetings on Mars before 10",
            "[no meetings on Mars before 10]",
        ),
        ("lunch at 25:00", "[lunch at 25:00]"),
        ("no meetings", "[no meetings]"),
        ("keep 5pm to 3pm free", "[keep 5pm to 3pm free]"),
        ("please, thanks", ""),
        ("", ""),
        ("lunch at 日本", "[lunch at 日本]"),
    ] {
        assert_eq!(read(text), meaning, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}", words in prop::collection::vec(prop::sample::select(vec![
        "no", "lunch", "at", "one", "9", "10am", "25:00", "between", "and", "keep", "free", "half",
        "past", "an", "hour", "quarter", "to", "move", "first", "start", "with", ",", "24:00", "until",
    ]), 0..12)) {
        let _ = parse_feedback(&text);
        let _ = parse_feedback(&words.join(" "));
    }

    #[test]
    fn a_wish_in_words_is_read_as_itself(h in 7_u16..18, m in 0_u16..12, length in 1_u32..16) {
        let at = ClockTime::from_minutes(h * 60 + m * 5).unwrap();
        for wish in [
            Wish::NoMeetingsBefore(at), Wish::NoMeetingsAfter(at), Wish::NoFocusBefore(at), Wish::LunchAt(at),
            Wish::EmailAt(at), Wish::StartAt(at), Wish::BreakEvery(length * 15), Wish::FocusLength(length * 15),
            Wish::LunchLength(length * 5), Wish::NoEmail, Wish::NoBreaks, Wish::NoLunch,
            Wish::FocusAtMost(length * 15),
        ] {
            prop_assert_eq!(parse_feedback(&wish.to_string()).wishes, [wish]);
        }
    }

    #[test]
    fn a_wish_survives_its_row(h in 0_u16..24) {
        let at = ClockTime::from_minutes(h * 60).unwrap();
        let free = Wish::KeepFree(Span::new(at, ClockTime::END_OF_DAY).unwrap());
        for wish in [free, Wish::LunchAt(at), Wish::NoLunch, Wish::Move { title: "x".into(), to: at }] {
            let row = serde_json::to_string(&wish).unwrap();
            prop_assert_eq!(serde_json::from_str::<Wish>(&row).unwrap(), wish);
        }
    }
}
