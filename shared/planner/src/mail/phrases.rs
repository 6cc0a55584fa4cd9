//! The lists of `phrases.txt`.

use std::sync::LazyLock;

use crate::whole_words::contains_words;
use crate::words;

words! {
    /// A list of phrases, by the name of its section.
    List {
        Reply = "reply",
        Task = "task",
        Information = "information",
        Urgent = "urgent",
        Consequence = "consequence",
        Due = "due",
        Important = "important",
        Bait = "bait",
        Hurry = "hurry",
        AutomatedSenders = "automated senders",
        AutomatedAnywhere = "automated anywhere",
        AutomatedParts = "automated parts",
        Asks = "asks",
        States = "states",
        Persons = "persons",
        Quick = "quick",
        Meeting = "meeting",
        Months = "months",
        Weekdays = "weekdays",
    }
}

static LISTS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let sections: Vec<&str> = include_str!("phrases.txt").split("\n[").collect();
    let read = |list: &List| {
        let section = sections.iter().find_map(|section| {
            let heading = section.strip_prefix(list.as_str())?;
            Some(heading.strip_prefix(']')?.split_once('\n')?.1)
        });
        let phrases = section.unwrap_or_default().split([',', '\n']);
        let phrases = phrases.map(str::trim);
        phrases.filter(|phrase| !phrase.is_empty()).collect()
    };
    List::ALL.iter().map(read).collect()
});

impl List {
    pub(super) fn phrases(self) -> &'static [&'static str] {
        &LISTS[self as usize]
    }

    /// The first phrase that a text in lower case contains as whole words.
    pub(super) fn find(self, text: &str) -> Option<&'static str> {
        let mut phrases = self.phrases().iter().copied();
        phrases.find(|phrase| contains_words(text, phrase))
    }

    /// The place of the entry that has this word as one of its names.
    pub(super) fn position(self, word: &str) -> Option<i8> {
        let has_name = |names: &&str| names.split(' ').any(|name| name == word);
        i8::try_from(self.phrases().iter().position(has_name)?).ok()
    }
}
