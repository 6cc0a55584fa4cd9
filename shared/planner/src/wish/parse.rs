//! Wishes out of sentences in plain English. A part of a sentence is
//! understood as a whole or not at all: no word of it is ignored but those that carry nothing.

use serde::Serialize;

use super::tokens::{DayPart, Said, SaidTime, Token, tokens};
use super::{LIGHT_DAY, Wish};
use crate::clock_time::ClockTime;
use crate::span::Span;

/// Words that carry nothing here.
const FILLERS: &[&str] = &[
    "please", "i", "i'd", "i'll", "i'm", "we", "you", "can", "could", "would", "should", "like",
    "want", "wanna", "need", "have", "get", "make", "put", "let", "let's", "my", "the", "a", "an",
    "me", "it", "is", "are", "be", "do", "today", "tomorrow", "this", "that", "some", "just",
    "rather", "prefer", "schedule", "plan", "any", "ok", "okay", "thanks", "thank", "so", "for",
    "of", "there", "if", "possible", "at", "on", "day", "also", "then", "will", "am", "take",
    "yes", "hi", "hello", "alfred", "instead", "around", "about", "session", "sessions", "keep",
    "block", "blocks",
];
/// Short lunch, in minutes.
const SHORT_LUNCH: u32 = 30;
/// Long lunch, in minutes.
const LONG_LUNCH: u32 = 90;
const NOON: u16 = 720;
const AFTERNOON: u16 = 780;
const EVENING: u16 = 1_080;

/// What feedback says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// What was understood, in order.
    pub wishes: Vec<Wish>,
    /// The parts that were not, as they were written.
    pub not_understood: Vec<String>,
}

/// Reads feedback; several wishes may be joined by commas, "and", "or", "but"
/// or full stops. Hours without a half of the day are those of a working day:
/// 7 to 12 as they are, 1 to 6 after noon; what ends at 7 to 11 ends in the evening.
#[must_use]
pub fn parse_feedback(text: &str) -> Feedback {
    let mut feedback = Feedback::default();
    let mut subject: Option<&'static str> = None;
    for clause in clauses(tokens(text)) {
        let shape = Shape::of(&clause);
        if shape.words.is_empty() {
            continue;
        }
        let wishes = shape
            .wishes()
            .or_else(|| shape.continuing(subject?).wishes())
            .or_else(|| about_a_title(&clause));
        match wishes {
            Some(wishes) => {
                subject = subject_of(&wishes).or(subject);
                feedback.wishes.extend(wishes);
            }
            None => feedback.not_understood.push(written(&clause)),
        }
    }
    feedback
}

fn written(clause: &[Said]) -> String {
    let words: Vec<&str> = clause.iter().map(|said| said.text.as_str()).collect();
    words.join(" ")
}

/// Parts of the text that may each be a wish. "between 2 and 3" is one.
fn clauses(tokens: Vec<Said>) -> Vec<Vec<Said>> {
    let mut clauses: Vec<Vec<Said>> = vec![Vec::new()];
    for said in tokens {
        let open = clauses.last().is_some_and(|clause| {
            clause.iter().any(|said| is_word(said, "between"))
                && matches!(clause.last(), Some(last) if matches!(last.token, Token::Time(_)))
                && clause
                    .iter()
                    .filter(|s| matches!(s.token, Token::Time(_)))
                    .count()
                    == 1
        });
        let joins = ["and", "or", "but", "plus"]
            .iter()
            .any(|word| is_word(&said, word));
        if said.token == Token::Stop || (joins && !(open && is_word(&said, "and"))) {
            clauses.push(Vec::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(said);
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

fn is_word(said: &Said, word: &str) -> bool {
    matches!(&said.token, Token::Word(own) if own == word)
}

/// A clause without what carries nothing, in few words.
struct Shape {
    words: Vec<&'static str>,
    times: Vec<SaidTime>,
    minutes: Option<u32>,
    part: Option<DayPart>,
}

/// What stands for a time, a length, a part of the day and an unknown word in a shape.
const TIME: &str = "T";
const LENGTH: &str = "M";
const PART: &str = "P";
const UNKNOWN: &str = "?";

impl Shape {
    fn of(clause: &[Said]) -> Self {
        let mut shape = Self {
            words: Vec::new(),
            times: Vec::new(),
            minutes: None,
            part: None,
        };
        for (position, said) in clause.iter().enumerate() {
            match &said.token {
                Token::Time(time) => {
                    shape.times.push(*time);
                    shape.words.push(TIME);
                }
                Token::Minutes(minutes) => {
                    // Two lengths in one clause are no shape there is.
                    let second = shape.minutes.replace(*minutes).is_some();
                    shape.words.push(if second { UNKNOWN } else { LENGTH });
                }
                Token::Part(part) => {
                    shape.part = Some(*part);
                    shape.words.push(PART);
                }
                Token::Word(word) => {
                    let before_time = clause
                        .get(position + 1)
                        .is_some_and(|next| matches!(next.token, Token::Time(_)));
                    if word == "to" && !before_time || FILLERS.contains(&word.as_str()) {
                        continue;
                    }
                    let word = canonical(word);
                    // "Focus work" is focus.
                    if !(word == "work" && shape.words.last() == Some(&"focus")) {
                        shape.words.push(word);
                    }
                }
                Token::Stop => {}
            }
        }
        shape
    }

    /// The same with the subject of the clause before: "… or after 4".
    fn continuing(&self, subject: &'static str) -> Self {
        let words = ["no", subject]
            .into_iter()
            .chain(self.words.iter().copied());
        Self {
            words: words.collect(),
            times: self.times.clone(),
            ..*self
        }
    }

    fn wishes(&self) -> Option<Vec<Wish>> {
        self.about_hours()
            .or_else(|| self.about_blocks())
            .or_else(|| self.about_free_time())
    }

    fn about_hours(&self) -> Option<Vec<Wish>> {
        let wish = match self.words.as_slice() {
            ["no", "meeting", "before", TIME] | ["meeting", "only", "after" | "from", TIME] => {
                Wish::NoMeetingsBefore(self.start()?)
            }
            ["no", "meeting", "after", TIME] | ["meeting", "only", "before" | "until", TIME] => {
                Wish::NoMeetingsAfter(self.start()?)
            }
            ["no", "meeting", PART] => match self.part? {
                DayPart::Morning => Wish::NoMeetingsBefore(clock(NOON)?),
                DayPart::Afternoon => Wish::NoMeetingsAfter(clock(NOON)?),
                DayPart::Evening => Wish::NoMeetingsAfter(clock(EVENING)?),
            },
            ["no", "focus", "before", TIME] | ["focus", "only", "after" | "from", TIME] => {
                Wish::NoFocusBefore(self.start()?)
            }
            ["no", "focus", "after", TIME] | ["focus", "only", "before" | "until", TIME] => {
                Wish::NoFocusAfter(self.start()?)
            }
            ["no", "focus", PART] | ["focus", "only", PART] => {
                let only = self.words[1] == "only";
                match (self.part?, only) {
                    (DayPart::Morning, false) | (DayPart::Afternoon, true) => {
                        Wish::NoFocusBefore(clock(NOON)?)
                    }
                    (DayPart::Morning, true) | (DayPart::Afternoon, false) => {
                        Wish::NoFocusAfter(clock(NOON)?)
                    }
                    (DayPart::Evening, true) => Wish::NoFocusBefore(clock(EVENING)?),
                    (DayPart::Evening, false) => Wish::NoFocusAfter(clock(EVENING)?),
                }
            }
            ["start", TIME]
            | ["start", "work", TIME]
            | ["work", "from", TIME]
            | ["start", "by", TIME] => Wish::StartAt(self.start()?),
            ["no", "work" | "start", "before", TIME] => Wish::StartAt(self.start()?),
            ["end", TIME]
            | ["end", "work", TIME]
            | ["end", "by", TIME]
            | ["end", "work", "by", TIME]
            | ["work", "until", TIME]
            | ["no", "work", "after", TIME] => Wish::EndAt(self.end()?),
            ["work", "from", TIME, "to" | "until", TIME] | ["work", TIME, "to" | "until", TIME] => {
                let span = self.range()?;
                return Some(vec![Wish::StartAt(span.start()), Wish::EndAt(span.end())]);
            }
            _ => return None,
        };
        Some(vec![wish])
    }

    fn about_blocks(&self) -> Option<Vec<Wish>> {
        let wish = match self.words.as_slice() {
            ["no" | "drop", "lunch"] => Wish::NoLunch,
            ["lunch", TIME] | ["lunch", "to", TIME] | ["move", "lunch", "to", TIME] => {
                Wish::LunchAt(self.start()?)
            }
            ["lunch", "from", TIME, "to" | "until", TIME]
            | ["lunch", TIME, "to" | "until", TIME] => {
                let span = self.range()?;
                let length = u32::from(span.end().minutes() - span.start().minutes());
                return Some(vec![Wish::LunchAt(span.start()), Wish::LunchLength(length)]);
            }
            ["lunch", LENGTH] | [LENGTH, "lunch"] => Wish::LunchLength(self.minutes?),
            [LENGTH, "lunch", TIME] | ["lunch", TIME, LENGTH] => {
                return Some(vec![
                    Wish::LunchAt(self.start()?),
                    Wish::LunchLength(self.minutes?),
                ]);
            }
            ["short", "lunch", TIME] => {
                let length = Wish::LunchLength(SHORT_LUNCH);
                return Some(vec![Wish::LunchAt(self.start()?), length]);
            }
            ["short", "lunch"] | ["lunch", "short"] => Wish::LunchLength(SHORT_LUNCH),
            ["long", "lunch"] | ["lunch", "long"] => Wish::LunchLength(LONG_LUNCH),
            ["no" | "drop", "email"] => Wish::NoEmail,
            ["email", TIME] | ["email", "to", TIME] | ["move", "email", "to", TIME] => {
                Wish::EmailAt(self.start()?)
            }
            ["email", LENGTH] | [LENGTH, "email"] => Wish::EmailLength(self.minutes?),
            [LENGTH, "email", TIME] => {
                return Some(vec![
                    Wish::EmailAt(self.start()?),
                    Wish::EmailLength(self.minutes?),
                ]);
            }
            ["no" | "drop", "break"] => Wish::NoBreaks,
            ["break", "every", LENGTH] => Wish::BreakEvery(self.minutes?),
            ["break", LENGTH] | [LENGTH, "break"] => Wish::BreakLength(self.minutes?),
            [LENGTH, "focus"] | ["focus", LENGTH] => Wish::FocusLength(self.minutes?),
            ["most", LENGTH] | ["most", LENGTH, "focus" | "work"] => {
                Wish::FocusAtMost(self.minutes?)
            }
            ["less", "work" | "focus"] | ["light"] | ["easy"] => Wish::FocusAtMost(LIGHT_DAY),
            _ => return None,
        };
        Some(vec![wish])
    }

    fn about_free_time(&self) -> Option<Vec<Wish>> {
        let span = match self.words.as_slice() {
            ["free", TIME, "to" | "until", TIME]
            | [TIME, "to" | "until", TIME, "free"]
            | [
                "free",
                "from" | "between",
                TIME,
                "to" | "until" | "and",
                TIME,
            ]
            | [
                "nothing",
                "from" | "between",
                TIME,
                "to" | "until" | "and",
                TIME,
            ]
            | [
                "from" | "between",
                TIME,
                "to" | "until" | "and",
                TIME,
                "free",
            ]
            | ["nothing", TIME, "to" | "until", TIME] => self.range()?,
            ["nothing", "before", TIME] | ["free", "until", TIME] | ["free", "before", TIME] => {
                Span::new(ClockTime::MIDNIGHT, self.start()?)?
            }
            ["nothing", "after", TIME] | ["free", "after" | "from", TIME] => {
                Span::new(self.start()?, ClockTime::END_OF_DAY)?
            }
            ["free", PART] | [PART, "free"] | ["nothing", PART] => match self.part? {
                DayPart::Morning => Span::new(ClockTime::MIDNIGHT, clock(NOON)?)?,
                DayPart::Afternoon => Span::new(clock(AFTERNOON)?, ClockTime::END_OF_DAY)?,
                DayPart::Evening => Span::new(clock(EVENING)?, ClockTime::END_OF_DAY)?,
            },
            _ => return None,
        };
        Some(vec![Wish::KeepFree(span)])
    }

    fn start(&self) -> Option<ClockTime> {
        match self.times.first()? {
            SaidTime::Exact(ClockTime::END_OF_DAY) => None,
            SaidTime::Exact(time) => Some(*time),
            SaidTime::Bare(hour, minute) => clock(of_working_day(*hour) * 60 + minute),
        }
    }

    fn end(&self) -> Option<ClockTime> {
        match self.times.first()? {
            SaidTime::Exact(time) => Some(*time),
            SaidTime::Bare(hour, minute) => clock((hour % 12 + 12) * 60 + minute),
        }
    }

    /// From the first time to the second, which is later: a bare hour takes the other's half where that makes sense.
    fn range(&self) -> Option<Span> {
        let [from, to] = self.times.as_slice() else {
            return None;
        };
        let first = |half: u16| match from {
            SaidTime::Exact(time) => Some(*time),
            SaidTime::Bare(hour, minute) => clock((hour % 12 + half) * 60 + minute),
        };
        let second = match to {
            SaidTime::Exact(time) => *time,
            SaidTime::Bare(hour, minute) => {
                let plain = clock(of_working_day(*hour) * 60 + minute)?;
                let later = clock((hour % 12 + 12) * 60 + minute)?;
                let start = self.start()?;
                if plain > start { plain } else { later }
            }
        };
        let usual = self.start().filter(|start| *start < second);
        let start = usual
            .or_else(|| first(12).filter(|s| *s < second))
            .or_else(|| first(0))?;
        Span::new(start, second)
    }
}

/// The hour that is meant by 1 to 12 on a working day.
const fn of_working_day(hour: u16) -> u16 {
    match hour {
        1..=6 => hour + 12,
        _ => hour,
    }
}

fn clock(minutes: u16) -> Option<ClockTime> {
    ClockTime::from_minutes(minutes)
}

fn canonical(word: &str) -> &'static str {
    match word {
        "no" | "not" | "don't" | "without" | "never" | "avoid" => "no",
        "meeting" | "meetings" | "calls" => "meeting",
        "lunch" => "lunch",
        "email" | "emails" | "e-mail" | "e-mails" | "mail" | "mails" | "inbox" => "email",
        "break" | "breaks" => "break",
        "focus" | "deep" => "focus",
        "before" => "before",
        "after" => "after",
        "until" | "till" => "until",
        "by" => "by",
        "from" => "from",
        "to" => "to",
        "between" => "between",
        "and" => "and",
        "every" => "every",
        "only" => "only",
        "most" | "maximum" | "max" => "most",
        "less" | "fewer" => "less",
        "light" | "lighter" | "quiet" => "light",
        "easy" | "easier" => "easy",
        "short" | "shorter" => "short",
        "long" | "longer" => "long",
        "work" | "working" => "work",
        "start" | "begin" | "starting" => "start",
        "end" | "finish" | "stop" | "leave" | "quit" | "done" | "ending" => "end",
        "free" | "busy" | "away" | "out" | "unavailable" => "free",
        "nothing" => "nothing",
        "move" | "shift" | "push" => "move",
        "drop" | "skip" | "remove" | "cancel" | "delete" => "drop",
        _ => UNKNOWN,
    }
}

fn subject_of(wishes: &[Wish]) -> Option<&'static str> {
    match wishes.last()? {
        Wish::NoMeetingsBefore(_) | Wish::NoMeetingsAfter(_) => Some("meeting"),
        Wish::NoFocusBefore(_) | Wish::NoFocusAfter(_) => Some("focus"),
        _ => None,
    }
}

/// Wishes about something by its title: drop it, move it, do it first.
fn about_a_title(clause: &[Said]) -> Option<Vec<Wish>> {
    let clause = without_fillers(clause);
    let verb = clause.first().map(|said| match &said.token {
        Token::Word(word) => word.as_str(),
        _ => "",
    })?;
    let last = clause.last()?;
    let wish = match verb {
        "drop" | "skip" | "remove" | "cancel" | "delete" | "without" => {
            Wish::Drop(title(&clause[1..])?)
        }
        "move" | "shift" | "push" => {
            let to = clause.iter().rposition(|said| is_word(said, "to"))?;
            let [time] = clause.get(to + 1..)? else {
                return None;
            };
            let Token::Time(time) = time.token else {
                return None;
            };
            let to_time = match time {
                SaidTime::Exact(time) if time < ClockTime::END_OF_DAY => time,
                SaidTime::Exact(_) => return None,
                SaidTime::Bare(hour, minute) => clock(of_working_day(hour) * 60 + minute)?,
            };
            Wish::Move {
                title: title(clause.get(1..to)?)?,
                to: to_time,
            }
        }
        "start" | "begin" if clause.get(1).is_some_and(|said| is_word(said, "with")) => {
            Wish::First(title(&clause[2..])?)
        }
        _ if is_word(last, "first") => {
            let from = usize::from(matches!(verb, "do" | "put" | "finish"));
            Wish::First(title(&clause[from..clause.len() - 1])?)
        }
        _ => return None,
    };
    Some(vec![wish])
}

/// Fillers before a verb: "please could you drop …".
fn without_fillers(clause: &[Said]) -> &[Said] {
    let leading = clause.iter().take_while(|said| match &said.token {
        Token::Word(word) => {
            FILLERS.contains(&word.as_str()) && !matches!(word.as_str(), "do" | "put")
        }
        _ => false,
    });
    &clause[leading.count()..]
}

fn title(words: &[Said]) -> Option<String> {
    let articles = words.iter().take_while(|said| {
        ["the", "my", "a", "an", "that"]
            .iter()
            .any(|word| is_word(said, word))
    });
    let words = &words[articles.count()..];
    let end = words.iter().rposition(|said| {
        !["today", "tomorrow", "please"]
            .iter()
            .any(|word| is_word(said, word))
    })?;
    let title = written(&words[..=end]);
    let title = title.trim_matches(|c| "\"'“”".contains(c)).trim();
    (!title.is_empty()).then(|| title.to_owned())
}
