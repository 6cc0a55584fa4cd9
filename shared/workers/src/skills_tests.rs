use super::*;
use alfred_agent::model::Snapshot;
use alfred_agent::tool::Effect;
use alfred_testkit::cases;

use crate::Registry;
use crate::file::WorkerFile;

const WORKER: &str = "name: a\ntoolsets: {skills: {allowed: [minutes]}}\ninstructions: Work.";
const SKILL: &str = "---\nname: minutes\ndescription: |\n  How minutes\n  ## are taken.\nallowed-tools: time_now WebSearch Bash(rm *)\n---\nWrite down who said what.";

fn beside(files: &[(&str, &str)]) -> Vec<Source> {
    let files = files.iter().map(|(file, text)| Source {
        path: kept_path("minutes", file),
        text: (*text).to_owned(),
    });
    files.collect()
}

fn with<T>(files: &[(&str, &str)], then: impl FnOnce(&Binding<'_>) -> T) -> T {
    let worker = WorkerFile::parse("a", WORKER).unwrap();
    let program = Snapshot {
        beside: beside(files),
        ..Snapshot::default()
    };
    then(&Binding::of(&worker, &program))
}

fn read() -> Read {
    let skills = with(&[(MAIN, SKILL), ("forms/short.md", "Short.")], |binding| {
        named(binding, json!({"allowed": ["minutes"]})).unwrap()
    });
    Read {
        def: ToolDef::new(SKILLS, READ, ""),
        skills,
    }
}

#[test]
fn the_prompt_names_it_and_reading_gives_its_words() {
    let told = with(&[(MAIN, SKILL)], introduced);
    let expected = "\n- minutes: How minutes ## are taken.";
    assert!(told.ends_with(expected), "{told}");
    cases::check(include_str!("skills_cases.txt"), |asked| {
        let mut words = asked.split(' ').map(str::to_owned);
        let arguments = Arguments {
            skill: words.next().unwrap(),
            file: words.next(),
        };
        match read().file(arguments) {
            Ok(output) => Value::Object(output.data).to_string(),
            Err(error) => error.to_string(),
        }
    });
}

#[test]
fn settings_that_name_nothing_are_refused() {
    let wrong = |config: Value, files: &[(&str, &str)]| {
        with(files, |binding| named(binding, config).err().unwrap())
    };
    let missing = "allowed: there is no skill \"x\"";
    let empty = "allowed: is empty, so nothing could be read; leave the toolset out";
    for (config, expected) in [
        (json!({}), "missing field `allowed`"),
        (json!({"allowed": []}), empty),
        (json!({"allowed": ["x"]}), missing),
    ] {
        assert_eq!(wrong(config, &[(MAIN, SKILL)]), expected);
    }
    let damaged = wrong(json!({"allowed": ["minutes"]}), &[(MAIN, "name: minutes")]);
    assert!(damaged.contains("description"), "{damaged}");
}

#[test]
fn a_skill_rules_out_what_it_doesnt_name() {
    let set = |name: &'static str| Toolset::new(name, "", "", "", "");
    let out = |skill: &str, toolset: &'static str, tool: &'static str| {
        let other = ToolDef::new(set(toolset), tool, "").effect(Effect::Outward);
        read().rules_out(&json!({ "skill": skill }), &other)
    };
    assert!(!out("minutes", "time", "time_now"));
    // The skill has another agent's name for it.
    assert!(!out("minutes", "web", "web_search"));
    assert!(!out("minutes", "skills", READ));
    assert!(out("minutes", "time", "time_add"));
    assert!(out("minutes", "web", "web_readPage"));
    assert!(out("minutes", "slack", "slack_sendMessage"));
    assert!(!out("unknown", "slack", "slack_sendMessage"));
}

#[test]
fn skills_toolset_adds_only_the_read_tool() {
    let catalogue = alfred_tools::catalogue();
    let mut snapshot = Snapshot::of("p", [("a", WORKER)]);
    snapshot.beside = beside(&[(MAIN, SKILL)]);
    let program = crate::program(&snapshot, &Registry::of(&catalogue)).unwrap();
    let named = [READ, "time_now", "web_search"].map(|tool| program.own.tools.get(tool).is_some());
    assert_eq!(named, [true, false, false]);
}
