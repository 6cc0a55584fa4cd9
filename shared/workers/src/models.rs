//! Selects the model of each worker. The order is: command line, worker file, environment, program file,
//! deployment.

use alfred_agent::model::{Snapshot, Source};
use alfred_core::config::ALFRED_MODEL;
use std::collections::BTreeMap;

use crate::file::WorkerFile;
use crate::problem::Problem;
use crate::program::Settings;

const OPTION: &str = "--model";

/// Model names from outside the program's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    /// From the command line, for every worker.
    pub command_line: Option<&'a str>,
    /// From the environment, for workers whose files name none. Comma-separated fallbacks are possible.
    pub environment: Option<&'a str>,
    /// The deployment's model, as in the environment. `None` if unknown.
    pub otherwise: Option<&'a str>,
}

/// The source of a worker's model.
#[derive(Clone, Copy)]
enum By<'a> {
    CommandLine,
    Worker,
    Environment,
    Program(&'a Source),
    Nobody,
}

/// Checks that this is `provider:model`, split at the first colon.
pub fn is_name(name: &str) -> Result<(), String> {
    let plain = !name.contains(|c: char| c == ',' || c.is_whitespace() || c.is_control());
    match name.split_once(':') {
        Some((provider, model)) if plain && !provider.is_empty() && !model.is_empty() => Ok(()),
        _ => Err(format!(
            "\"{name}\" isn't provider:model, such as openai:gpt-5.2"
        )),
    }
}

/// The models by worker name, without those of the deployment, and all problems. `refused` returns why a
/// model can't be used, if so.
pub fn of(
    program: &Snapshot,
    named: Named<'_>,
    refused: &dyn Fn(&str) -> Option<String>,
) -> (BTreeMap<String, String>, Vec<Problem>) {
    let (mut models, mut problems) = (BTreeMap::new(), Vec::new());
    let settings = Settings::of(program).unwrap_or_else(|error| {
        let path = program.settings.as_ref().map_or("", |source| &source.path);
        problems.push(Problem::of_whole(&error, path));
        Settings::default()
    });
    let by_program = settings.model().zip(program.settings.as_ref());
    for source in &program.workers {
        let file = match WorkerFile::parse(&source.path, &source.text) {
            Ok(file) => file,
            Err(error) => {
                problems.push(Problem::of_whole(&error, &source.path));
                continue;
            }
        };
        let own = file.model.as_deref();
        let (model, by) = match (named.command_line, own, named.environment, by_program) {
            (Some(model), ..) => (Some(model), By::CommandLine),
            (_, Some(model), ..) => (Some(model), By::Worker),
            (_, _, Some(models), _) => (Some(models), By::Environment),
            (_, _, _, Some((model, source))) => (Some(model), By::Program(source)),
            _ => (named.otherwise, By::Nobody),
        };
        let Some(model) = model else { continue };
        problems.extend(unfit(source, &file, model, by));
        let named_in = match by {
            By::Environment | By::Nobody => continue,
            By::CommandLine => None,
            By::Worker => Some(source),
            By::Program(program) => Some(program),
        };
        if let Some(reason) = refused(model) {
            let problem = unasked(named_in, reason);
            // A problem that concerns several workers is reported once.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        models.insert(file.name, model.to_owned());
    }
    (models, problems)
}

/// The problem that a worker doesn't accept one of these models.
fn unfit(source: &Source, file: &WorkerFile, models: &str, by: By<'_>) -> Option<Problem> {
    let patterns = file.compatible_models.as_ref()?.join(", ");
    let mut models = models.split(',').map(str::trim);
    let model = models.find(|model| !file.fits_model(model))?;
    let words = match by {
        By::CommandLine => format!("{model} ({OPTION}) is none of {patterns}"),
        By::Worker => format!("{model} (model) is none of {patterns}"),
        By::Environment => format!("{model} ({ALFRED_MODEL}) is none of {patterns}"),
        By::Program(program) => format!("{model} ({}) is none of {patterns}", program.path),
        By::Nobody => format!("{model} is none of {patterns}; set {ALFRED_MODEL}"),
    };
    let words = format!("compatible_models: {words}");
    Some(Problem::below(source, &["compatible_models"], words))
}

/// The problem that a model can't be used, at the file that names it or else the command line.
fn unasked(named_in: Option<&Source>, reason: String) -> Problem {
    match named_in {
        Some(file) => Problem::below(file, &["model"], format!("model: {reason}")),
        None => Problem {
            path: OPTION.to_owned(),
            at: None,
            words: reason,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(settings: &str) -> Snapshot {
        let files = [
            ("lead.worker", "name: lead\ninstructions: x"),
            (
                "own.worker",
                "---\nname: own\nmodel: a:own\n---\nYou own one.",
            ),
            (
                "picky.worker",
                "name: picky\ncompatible_models: [\"a:*\", \"b:one\"]\ninstructions: x",
            ),
        ];
        let settings = Source {
            path: "alfred.yaml".into(),
            text: settings.into(),
        };
        Snapshot {
            settings: Some(settings),
            ..Snapshot::of("p", files)
        }
    }

    /// `worker=model` in order, and a line for each problem.
    fn told(settings: &str, named: Named<'_>) -> (String, String) {
        let refused = |model: &str| (model == "a:locked").then(|| "set A_API_KEY".to_owned());
        let (models, problems) = of(&program(settings), named, &refused);
        let models = models
            .iter()
            .map(|(worker, model)| format!("{worker}={model}"));
        let problems = problems.iter().map(ToString::to_string);
        (
            models.collect::<Vec<_>>().join(" "),
            problems.collect::<Vec<_>>().join("\n"),
        )
    }

    #[test]
    fn the_command_line_then_the_worker_then_the_environment_then_the_program_name_the_model() {
        let all = Named {
            command_line: Some("a:said"),
            environment: Some("a:set, b:one"),
            otherwise: Some("a:set,b:one"),
        };
        let unsaid = Named {
            command_line: None,
            ..all
        };
        let unset = Named {
            environment: None,
            otherwise: Some("a:default"),
            ..unsaid
        };
        let file = "model: a:file";
        for (settings, named, models) in [
            (file, all, "lead=a:said own=a:said picky=a:said"),
            (file, unsaid, "own=a:own"),
            (file, unset, "lead=a:file own=a:own picky=a:file"),
            ("", unset, "own=a:own"),
            ("", Named::default(), "own=a:own"),
        ] {
            let expected = (models.to_owned(), String::new());
            assert_eq!(told(settings, named), expected, "{settings} {named:?}");
        }
    }

    #[test]
    fn what_does_not_fit_or_cannot_be_asked_is_told_at_its_place() {
        let said = |model| Named {
            command_line: Some(model),
            ..Named::default()
        };
        let set = |models| Named {
            environment: Some(models),
            ..Named::default()
        };
        let otherwise = Named {
            otherwise: Some("demo:offline"),
            ..Named::default()
        };
        let picky = "picky.worker:2:1: compatible_models: ";
        for (settings, named, expected) in [
            (
                "",
                said("b:two"),
                format!("{picky}b:two (--model) is none of a:*, b:one"),
            ),
            (
                "",
                set("b:one,b:two"),
                format!("{picky}b:two (ALFRED_MODEL) is none of a:*, b:one"),
            ),
            (
                "model: b:two",
                Named::default(),
                format!("{picky}b:two (alfred.yaml) is none of a:*, b:one"),
            ),
            (
                "",
                otherwise,
                format!("{picky}demo:offline is none of a:*, b:one; set ALFRED_MODEL"),
            ),
            ("", said("a:locked"), "--model: set A_API_KEY".to_owned()),
            (
                "\nmodel: a:locked",
                Named::default(),
                "alfred.yaml:2:1: model: set A_API_KEY".to_owned(),
            ),
        ] {
            assert_eq!(told(settings, named).1, expected, "{settings} {named:?}");
        }
        let text = "---\nname: a\ncompatible_models: [\"b:*\"]\nmodel: a:locked\n---\nx";
        let alone = Snapshot::of("p", [("a.worker", text)]);
        let (_, problems) = of(&alone, Named::default(), &|_| Some("set A_API_KEY".into()));
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let expected = [
            "a.worker:3:1: compatible_models: a:locked (model) is none of b:*",
            "a.worker:4:1: model: set A_API_KEY",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_name_has_a_provider_and_a_model() {
        for (name, fits) in [
            ("openai:gpt-5.2", true),
            ("ollama:llama3.3:70b", true),
            ("opus", false),
            (":x", false),
            ("x:", false),
            ("a:b,c:d", false),
            ("a:b c", false),
        ] {
            assert_eq!(is_name(name).is_ok(), fits, "{name}");
        }
    }
}
