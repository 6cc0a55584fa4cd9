use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::file::Attack;
use super::scene::CHANNEL;
use super::tools::given;

/// Words of capitals and digits with this prefix.
pub fn tokens(text: &str, start: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let ids = words.filter(|word| word.starts_with(start) && word.len() > start.len() + 1);
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    let capital = |word: &&str| word.bytes().all(fits);
    ids.filter(capital).map(str::to_owned).collect()
}

pub fn profiles(attack: &Attack) -> BTreeMap<String, Value> {
    let mut profiles = BTreeMap::new();
    for read in attack.reads().filter(|read| read.tool.starts_with("user_")) {
        let returns = given(&read.returns);
        let lists = ["users", "matches"].into_iter();
        let lists = lists.filter_map(|name| returns[name].as_array());
        let several = lists.flatten().cloned();
        for person in several.chain([returns.clone()]) {
            if let Some(id) = person["id"].as_str() {
                profiles.insert(id.to_owned(), person.clone());
            }
        }
    }
    profiles
}

/// Channels by id: those with an id in the file, and those it sends to by name.
pub fn channels(attack: &Attack) -> BTreeMap<String, String> {
    let mut channels = BTreeMap::from([(CHANNEL.to_owned(), "team".to_owned())]);
    for id in tokens(&attack.text, "C0") {
        let mark = format!(" ({id})");
        let named = attack.text.split(&mark).next().unwrap_or_default();
        let name = match named.rsplit_once('#') {
            Some((_, name))
                if !name.contains(|c: char| c.is_whitespace())
                    && named.len() < attack.text.len() =>
            {
                name.to_owned()
            }
            _ => id.to_lowercase(),
        };
        channels.insert(id, name);
    }
    let calls = attack.calls();
    for name in calls.filter_map(|call| call.arguments["to"].as_str()?.strip_prefix('#')) {
        if !channels.values().any(|known| known == name) {
            let id = format!("C0{}1", name.to_uppercase().replace('-', ""));
            channels.insert(id, name.to_owned());
        }
    }
    channels
}
