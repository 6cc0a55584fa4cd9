//! Finds all problems in a program's file, with positions.

use alfred_agent::model::Source;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt;

use crate::agent_file;
use crate::file::{FileError, WorkerFile, split};
use crate::places::{At, Places};
use crate::program::Settings;
use crate::skill::Skill;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: String,
    /// Line and column, from 1, in characters. `None` for the whole file.
    pub at: Option<At>,
    pub words: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, at, words } = self;
        match at {
            Some((line, column)) => write!(f, "{path}:{line}:{column}: {words}"),
            None => write!(f, "{path}: {words}"),
        }
    }
}

impl From<FileError> for Problem {
    fn from(FileError { path, reason }: FileError) -> Self {
        Self::of_whole(path, reason)
    }
}

impl Problem {
    pub(crate) fn of_whole(path: String, words: String) -> Self {
        let at = None;
        Self { path, at, words }
    }

    /// A problem below these keys of a file.
    pub(crate) fn below(source: &Source, keys: &[&str], words: String) -> Self {
        let (yaml, _) = split(&source.text).unwrap_or_default();
        let above = u64::from(yaml.len() != source.text.len());
        let places = Places::of(&agent_file::as_yaml(&source.path, yaml), above).ok();
        Self {
            path: source.path.clone(),
            at: places.map(|places| places.of_wrong(keys, &words)),
            words,
        }
    }
}

pub fn of_worker(path: &str, text: &str) -> Vec<Problem> {
    let parse = |text: &str| WorkerFile::parse(path, text).map(drop);
    if agent_file::is_agent_file(path) {
        // The fields aren't those of `WorkerFile`, so `parse` alone checks them.
        return of_file::<Map<String, Value>>(path, text, (json!({"name": "x"}), "x"), &parse);
    }
    let sound = json!({"name": "x", "instructions": "x"});
    of_file::<WorkerFile>(path, text, (sound, ""), &parse)
}

pub fn of_settings(path: &str, text: &str) -> Vec<Problem> {
    let parse = |text: &str| Settings::parse(path, text).map(drop);
    of_file::<Settings>(path, text, (json!({}), ""), &parse)
}

/// The problems of the `SKILL.md` in the folder of this name.
pub fn of_skill(folder: &str, path: &str, text: &str) -> Vec<Problem> {
    let sound = json!({"name": folder, "description": "x"});
    let parse = |text: &str| Skill::parse(folder, path, text).map(drop);
    of_file::<Skill>(path, text, (sound, "x"), &parse)
}

/// Parsing stops at the first error. To find all, each field is parsed alone within the valid values of
/// `sound`.
fn of_file<T: DeserializeOwned>(
    path: &str,
    text: &str,
    (sound, sound_body): (Value, &str),
    parse: &dyn Fn(&str) -> Result<(), FileError>,
) -> Vec<Problem> {
    let Err(whole) = parse(text) else {
        return Vec::new();
    };
    let problem = |at: At, words: String| Problem {
        path: path.to_owned(),
        at: Some(at),
        words,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((yaml, body)) = split(text) else {
        return vec![problem((1, 1), whole.reason)];
    };
    let above = u64::from(yaml.len() != text.len());
    let yaml = &*agent_file::as_yaml(path, yaml);
    let places = match Places::of(yaml, above) {
        Ok(places) => places,
        Err((at, words)) => return vec![problem(at, words)],
    };
    let Ok(fields) = serde_saphyr::from_str::<Option<Map<String, Value>>>(yaml) else {
        let words = "must be fields and their values";
        return vec![problem((1 + above, 1), words.into())];
    };
    let fields = fields.unwrap_or_default();
    let read = |fields: Map<String, Value>, body: &str| {
        let fields = Value::Object(fields);
        serde_json::from_value::<T>(fields.clone()).map_err(|error| error.to_string())?;
        let text = match body {
            "" => fields.to_string(),
            body => format!("---\n{fields}\n---\n{body}"),
        };
        parse(&text).map_err(|error| error.reason)
    };
    let sound = sound.as_object().cloned().unwrap_or_default();
    let mut problems = Vec::new();
    for (name, value) in &fields {
        let mut one = sound.clone();
        one.insert(name.clone(), value.clone());
        if let Err(words) = read(one, sound_body) {
            problems.push(problem(places.of_wrong(&[name], &words), words));
        }
    }
    // Missing or duplicate fields.
    let needed = fields.into_iter();
    let needed = needed.filter(|(name, _)| sound.contains_key(name));
    if let Err(words) = read(needed.collect(), body)
        && problems.iter().all(|known| known.words != words)
    {
        problems.push(problem(places.of_wrong(&[], &words), words));
    }
    if problems.is_empty() {
        problems.push(problem((1 + above, 1), whole.reason));
    }
    problems.sort_by_key(|problem| problem.at);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    /// The problems, with `…` for the names that an error lists as expected.
    fn said(problems: &[Problem]) -> String {
        let brief = |problem: &Problem| {
            let line = problem.to_string();
            let end = line
                .find(", expected ")
                .map(|end| format!("{}, …", &line[..end]));
            end.unwrap_or(line)
        };
        problems.iter().map(brief).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_error_has_its_place() {
        cases::check(include_str!("problem_cases.txt"), |text| {
            said(&of_worker("w", text))
        });
        assert_eq!(of_worker("w", "name: a\ninstructions: x"), []);
        let settings = of_settings("w", "delegation:\n  maxDepth: 0\ncolour: red");
        let expected =
            "w:2:3: delegation.maxDepth: must be at least 1\nw:3:1: unknown field `colour`, …";
        assert_eq!(said(&settings), expected);
        let skill = of_skill("b", "w", "---\nname: a\ndescription: ''\n---\nx");
        let expected = "w:2:1: name: must be its folder's, which is \"b\"\nw:3:1: description: must have 1 to 1024 characters";
        assert_eq!(said(&skill), expected);
    }
}
