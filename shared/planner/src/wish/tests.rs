use super::*;
use crate::tests::check;
use alfred_core::user::DayPreferences;
use serde_json::{Value, json};

fn read(changes: Value) -> Result<String, String> {
    let changes: Changes = serde_json::from_value(changes).unwrap();
    let wishes = changes.wishes().map_err(|error| error.to_string())?;
    let words: Vec<String> = wishes.iter().map(ToString::to_string).collect();
    Ok(words.join("; "))
}

#[test]
fn every_field_is_a_wish() {
    let all = json!({
        "lunchAt": "13:00", "lunchMinutes": 30, "noLunch": true, "noMeetingsBefore": "10:00",
        "noMeetingsAfter": "16:00", "noFocusBefore": "09:30", "noFocusAfter": "24:00",
        "focusMinutes": 60, "focusAtMost": 240, "startAt": "08:00", "endAt": "16:30",
        "breakEvery": 45, "breakMinutes": 10, "noBreaks": true, "emailAt": "9am",
        "emailFirst": true, "emailMinutes": 20, "noEmail": true,
        "keepFree": [{"from": "14:00", "to": "15:00"}], "drop": ["Gym"],
        "move": [{"title": "Thesis", "to": "15:00"}], "first": [" Slides "],
        "unmet": ["paint the fence"],
    });
    insta::assert_snapshot!(read(all.clone()).unwrap(), @r#"lunch at 13:00; no meetings before 10:00; no meetings after 16:00; no focus work before 09:30; no focus work after 24:00; start at 08:00; end at 16:30; e-mail at 09:00; 30 minutes of lunch; focus blocks of 60 minutes; at most 240 minutes of focus work; a break every 45 minutes; breaks of 10 minutes; 20 minutes of e-mail; no lunch; no breaks; e-mail first; no e-mail; keep 14:00–15:00 free; without "Gym"; "Thesis" at 15:00; "Slides" first"#);
    let changes: Changes = serde_json::from_value(all.clone()).unwrap();
    assert_eq!(serde_json::to_value(&changes).unwrap(), all);
    let preferences = serde_json::to_value(DayPreferences::default()).unwrap();
    let wishes = changes.wishes().unwrap();
    let topics = wishes.iter().filter_map(Wish::topic);
    let stated: Vec<String> = topics.filter(|it| preferences.get(it).is_some()).collect();
    let expected = "lunchTime workStartTime workEndTime lunchDuration focusBlockDuration breakFrequency emailBatchSize lunchTime breakFrequency";
    assert_eq!(stated.join(" "), expected);
}

#[test]
fn a_bad_value_is_named_with_its_field() {
    check("a bad value is named with its field", |[changes]| {
        read(serde_json::from_str(changes).unwrap()).unwrap_err()
    });
    let unknown = serde_json::from_value::<Changes>(json!({"lunch": "13:00"})).unwrap_err();
    assert!(unknown.to_string().contains("`lunch`"), "{unknown}");
}

#[test]
fn the_later_wish_about_a_topic_counts() {
    check("the later wish about a topic counts", |changes| {
        let [first, second]: [Changes; 2] = changes.map(|one| serde_json::from_str(one).unwrap());
        serde_json::to_string(&first.then(second)).unwrap()
    });
}

#[test]
fn a_title_is_meant_by_whole_words() {
    let is_so = |words: &&str| is_meant("Team party, 定例会議", words);
    assert!([" PARTY", "会議", "team party"].iter().all(is_so));
    assert!(!["art", "part", "", " "].iter().any(is_so));
}
