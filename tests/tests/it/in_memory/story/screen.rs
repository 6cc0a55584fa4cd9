//! What people see: new and changed messages, with their buttons.
//!
//! Ids are shown by their number (`apr_1`), people by their name. Of a message that changed, the new lines are shown and
//! those that are gone.
//! Each text is checked for internal terms. The line with a card's deadline is left out; the fact `card 1` has it.

use alfred_agent::slack::respond::RATE;
use alfred_core::UserId;
use alfred_testkit::Kept;
use alfred_testkit::wording::internal_term;
use alfred_tests::{Ids, seen};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::in_memory::world::World;

/// How many texts were checked for internal terms.
pub static CHECKED: AtomicUsize = AtomicUsize::new(0);

#[derive(Default)]
pub struct Screen {
    /// Ids of people by their first name.
    people: BTreeMap<String, String>,
    ids: Ids,
    /// What each message showed last, by its timestamp.
    messages: BTreeMap<String, String>,
    /// Timestamps of the messages, and of the cards among them.
    order: Vec<String>,
    cards: Vec<String>,
    /// Buttons that each card has had: label, action, value.
    buttons: BTreeMap<String, Vec<Button>>,
    /// Internal terms that were shown, each with its text.
    internal: Vec<(String, String)>,
    ephemerals: usize,
    /// What each person's Home tab showed last.
    homes: BTreeMap<UserId, String>,
    dead: usize,
}

#[derive(Clone, PartialEq)]
struct Button {
    label: String,
    action: String,
    value: String,
}

impl Screen {
    pub fn new() -> Self {
        let people = BTreeMap::from([("Ana".to_owned(), "U1".to_owned())]);
        Self {
            people,
            ..Self::default()
        }
    }

    pub fn knows(&mut self, id: &str, name: &str) {
        let first = name.split(' ').next().unwrap().to_owned();
        self.people.insert(first, id.to_owned());
    }

    /// The id of a person; of nobody known, the name itself.
    pub fn user(&self, name: &str) -> String {
        let id = self.people.get(name).cloned();
        id.unwrap_or_else(|| name.to_owned())
    }

    pub fn users(&self) -> impl Iterator<Item = UserId> {
        self.people.values().map(|id| id.as_str().into())
    }

    /// What has changed since the last look.
    pub async fn changes(&mut self, world: &World) -> String {
        let mut shown = Vec::new();
        for kept in world.chat.posted() {
            shown.extend(self.change(&kept));
        }
        for (user, post) in world.chat.ephemerals().split_off(self.ephemerals) {
            self.ephemerals += 1;
            let text = with_buttons(&post.text, &post.blocks);
            self.check(&text);
            let text = self.masked(&text);
            shown.push(format!("only {} sees: {text}", self.name(user.as_str())));
        }
        for (user, blocks) in world.chat.homes() {
            let now = with_buttons("", &blocks);
            self.check(&now);
            buttons_in(&blocks).for_each(|button| drop(self.masked(&button.value)));
            let now = self.masked(&now);
            let before = self.homes.insert(user.clone(), now.clone());
            let before = before.unwrap_or_default();
            if before != now {
                let (name, changed) = (self.name(user.as_str()), difference(&before, &now));
                shown.push(format!("{name}'s home:\n{changed}"));
            }
        }
        shown.join("\n--\n")
    }

    fn check(&mut self, text: &str) {
        CHECKED.fetch_add(1, Ordering::Relaxed);
        let found = internal_term(text);
        self.internal
            .extend(found.map(|term| (term, text.to_owned())));
    }

    /// Panics if an internal term was shown that nobody in the story wrote.
    pub fn nothing_internal_was_shown(&mut self, written: &str) {
        let mut shown = self.internal.drain(..);
        let internal = shown.find(|(term, _)| !written.contains(term));
        assert_eq!(internal, None, "isn't for people");
    }

    /// Messages that failed for good since the last look.
    pub fn dead_letters(&mut self, world: &World) -> Vec<String> {
        let new = world.dead[self.dead..].iter();
        self.dead = world.dead.len();
        new.map(|(_, why)| format!("dead letter: {why}")).collect()
    }

    fn change(&mut self, kept: &Kept) -> Option<String> {
        self.keep_buttons(kept);
        self.check(&kept.text);
        self.check(&message(kept));
        let whole = self.masked(&message(kept));
        if !self.order.contains(&kept.ts) {
            self.order.push(kept.ts.clone());
        }
        let known = self.messages.insert(kept.ts.clone(), whole.clone());
        if known.as_ref() == Some(&whole) {
            return None;
        }
        let place = self.place(kept, known.is_some());
        Some(place + &difference(&known.unwrap_or_default(), &whole))
    }

    /// The heading of a message. An answer in Ana's direct message has none.
    fn place(&mut self, kept: &Kept, changed: bool) -> String {
        let key = kept.idempotency_key.as_deref().unwrap_or_default();
        if key.starts_with("card:") && !self.cards.contains(&kept.ts) {
            self.cards.push(kept.ts.clone());
        }
        let card = self.cards.iter().position(|ts| *ts == kept.ts);
        let mut parts = Vec::new();
        if let Some(card) = card {
            parts.push(format!("card {}", card + 1));
        }
        let channel = kept.channel.as_str();
        let owner = channel.trim_start_matches('D').trim_start_matches('U');
        if channel.starts_with('C') {
            parts.push(format!("in #{channel}"));
        } else if owner != "1" {
            parts.push(format!("to {}", self.name(&format!("U{owner}"))));
        }
        if changed {
            parts.push("now".to_owned());
        }
        if parts.is_empty() {
            return String::new();
        }
        format!("{}:\n", parts.join(" "))
    }

    fn keep_buttons(&mut self, kept: &Kept) {
        for button in buttons(kept) {
            // So that the ids in it have a number. Those of runs have one when they are shown.
            if button.action != RATE {
                self.masked(&button.value);
            }
            let known = self.buttons.entry(kept.ts.clone()).or_default();
            if !known.contains(&button) {
                known.push(button);
            }
        }
    }

    /// The action and the value of a button: the last one with this label that is shown, or of `Approve on card 1` and
    /// `Approve on message 1` one that was shown there.
    pub fn button(&self, world: &World, label: &str) -> (String, String) {
        let (label, known) = match label.split_once(" on ") {
            Some((label, "home")) => {
                let homes = world.chat.homes();
                let all = homes.values().flat_map(|blocks| buttons_in(blocks));
                (label, all.collect())
            }
            Some((label, place)) => {
                let (kind, number) = place.split_once(' ').unwrap();
                let is_card = kind == "card";
                let of_kind = if is_card { &self.cards } else { &self.order };
                let number: usize = number.parse().unwrap();
                (label, self.buttons[&of_kind[number - 1]].clone())
            }
            None => {
                let posted = world.chat.posted();
                (label, posted.iter().flat_map(buttons).collect())
            }
        };
        let mut fitting = known.into_iter().rev();
        let found = fitting.find(|button| button.label == label);
        let found = found.unwrap_or_else(|| panic!("no button {label:?}"));
        (found.action, found.value)
    }

    pub fn card(&self, world: &World, number: usize) -> Kept {
        let mut posted = world.chat.posted().into_iter();
        let card = posted.find(|kept| kept.ts == self.cards[number - 1]);
        card.unwrap()
    }

    pub fn cards(&self) -> &[String] {
        &self.cards
    }

    fn name(&self, id: &str) -> String {
        let known = self.people.iter().find(|(_, known)| *known == id);
        known.map_or(id, |(name, _)| name).to_owned()
    }

    /// A text with numbers for ids, names for mentions, and Slack's dates in words.
    pub fn masked(&mut self, text: &str) -> String {
        let text = self.ids.masked(text);
        let mut masked = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('<') {
            masked += &rest[..at];
            let (shown, after) = self.markup(&rest[at..]);
            masked += &shown;
            rest = after;
        }
        masked + rest
    }

    /// The markup that a text begins with, as it is shown, and the rest.
    fn markup<'a>(&self, text: &'a str) -> (String, &'a str) {
        let marked = |start: &str| text.strip_prefix(start)?.split_once('>');
        if let Some((id, rest)) = marked("<@") {
            return (format!("@{}", self.name(id)), rest);
        }
        if let Some((date, rest)) = marked("<!date") {
            let words = date.rsplit('|').next().unwrap_or(date);
            return (words.to_owned(), rest);
        }
        ("<".to_owned(), &text[1..])
    }

    pub fn number(&mut self, kind: &str, id: &str) -> usize {
        self.ids.number(kind, id)
    }

    pub fn unmask(&self, text: &str) -> String {
        self.ids.unmask(text)
    }
}

/// The new lines of a message, then `- ` and the lines that are gone. Without a card's deadline.
fn difference(old: &str, new: &str) -> String {
    let is_deadline = |line: &str| line.starts_with("Only ") && line.contains(" can decide");
    let beside = |these: &str, those: &str| -> Vec<String> {
        let lines = these.lines().filter(|line| !is_deadline(line));
        let lines = lines.filter(|line| !those.lines().any(|other| other == *line));
        lines.map(str::to_owned).collect()
    };
    let gone = beside(old, new).into_iter().map(|line| format!("- {line}"));
    let lines: Vec<String> = beside(new, old).into_iter().chain(gone).collect();
    lines.join("\n")
}

/// A message with its buttons in one line.
pub fn message(kept: &Kept) -> String {
    with_buttons(&kept.text, &kept.blocks)
}

fn with_buttons(text: &str, blocks: &[Value]) -> String {
    seen(text, blocks).replace("]\n[", "] [")
}

fn buttons(kept: &Kept) -> Vec<Button> {
    buttons_in(&kept.blocks).collect()
}

fn buttons_in(blocks: &[Value]) -> impl Iterator<Item = Button> {
    let accessories = blocks.iter().map(|block| &block["accessory"]);
    let elements = blocks.iter();
    let elements = elements.flat_map(|block| block["elements"].as_array());
    let all = elements.flatten().chain(accessories);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    all.flat_map(move |element| {
        let shown = match element["type"].as_str() {
            Some("button") => vec![element],
            Some("feedback_buttons") => {
                vec![&element["positive_button"], &element["negative_button"]]
            }
            _ => Vec::new(),
        };
        let button = move |shown: &Value| Button {
            label: text(&shown["text"]["text"]),
            action: text(&element["action_id"]),
            value: text(&shown["value"]),
        };
        shown.into_iter().map(button)
    })
}
