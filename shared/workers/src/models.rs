//! Selects the model of each worker. The order is: command line, worker file, environment, program file, deployment.

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

/// A worker's model, and what names it.
#[derive(Clone, Copy)]
struct Choice<'a> {
    model: &'a str,
    /// What names it. `None` for the deployment.
    by: Option<&'a str>,
    file: Option<&'a Source>,
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
        problems.push(error.into());
        Settings::default()
    });
    let by_program = settings.model.as_deref().zip(program.settings.as_ref());
    for source in &program.workers {
        let file = match WorkerFile::parse(&source.path, &source.text) {
            Ok(file) => file,
            Err(error) => {
                problems.push(error.into());
                continue;
            }
        };
        let choice = |model, by, file| Some(Choice { model, by, file });
        let (own, environment) = (file.model.as_deref(), named.environment);
        let chosen = match (named.command_line, own, environment, by_program) {
            (Some(model), ..) => choice(model, Some(OPTION), None),
            (_, Some(model), ..) => choice(model, Some("its model setting"), Some(source)),
            (_, _, Some(models), _) => choice(models, Some(ALFRED_MODEL), None),
            (.., Some((model, file))) => choice(model, Some(&file.path), Some(file)),
            _ => named.otherwise.and_then(|model| choice(model, None, None)),
        };
        let Some(chosen) = chosen else { continue };
        problems.extend(unfit(source, &file, chosen));
        // The run's process reads the models of the environment and the deployment itself.
        if chosen.file.is_none() && named.command_line.is_none() {
            continue;
        }
        let model = chosen.model;
        if let Some(reason) = refused(model) {
            let problem = unasked(chosen.file, reason);
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
fn unfit(source: &Source, file: &WorkerFile, chosen: Choice<'_>) -> Option<Problem> {
    let patterns = file.compatible_models.as_ref()?.join(", ");
    let mut models = chosen.model.split(',').map(str::trim);
    let model = models.find(|model| !file.fits_model(model))?;
    let choice = match chosen.by {
        Some(by) => format!(" from {by}"),
        None => format!("; set {ALFRED_MODEL}"),
    };
    let words = format!("compatible_models allows {patterns}, not {model}{choice}");
    Some(Problem::below(source, &["compatible_models"], words))
}

/// The problem that a model can't be used, at the file that names it or else the command line.
fn unasked(named_in: Option<&Source>, reason: String) -> Problem {
    match named_in {
        Some(file) => Problem::below(file, &["model"], format!("model: {reason}")),
        None => Problem::of_whole(OPTION.to_owned(), reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    fn program(settings: &str) -> Snapshot {
        let own = "---\nname: own\nmodel: a:own\n---\nYou own one.";
        let picky = "name: picky\ncompatible_models: [\"a:*\", \"b:one\"]\ninstructions: x";
        let files = [
            ("lead.worker", "name: lead\ninstructions: x"),
            ("own.worker", own),
            ("picky.worker", picky),
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

    /// `worker=model` in order, then a line for each problem.
    fn outcome(program: &Snapshot, named: Named<'_>) -> String {
        let refused = |model: &str| (model == "a:locked").then(|| "set A_API_KEY".to_owned());
        let (models, problems) = of(program, named, &refused);
        let models = models.iter();
        let models = models.map(|(worker, model)| format!("{worker}={model}"));
        let mut lines = vec![models.collect::<Vec<_>>().join(" ")];
        lines.extend(problems.iter().map(ToString::to_string));
        lines.join("\n")
    }

    #[test]
    fn the_first_place_that_names_a_model_counts() {
        cases::check(include_str!("models_cases.txt"), |input| {
            let [settings, others @ ..] = cases::columns::<4>(input);
            let [command_line, environment, otherwise] =
                others.map(|name| Some(name).filter(|name| *name != "-"));
            let named = Named {
                command_line,
                environment,
                otherwise,
            };
            outcome(&program(settings), named)
        });
        let text = "---\nname: a\ncompatible_models: [\"b:*\"]\nmodel: a:locked\n---\nx";
        let alone = Snapshot::of("p", [("a.worker", text)]);
        let expected = "a=a:locked\n\
            a.worker:3:1: compatible_models allows b:*, not a:locked from its model setting\n\
            a.worker:4:1: model: set A_API_KEY";
        assert_eq!(outcome(&alone, Named::default()), expected);
    }

    #[test]
    fn a_name_has_a_provider_and_a_model() {
        for name in ["openai:gpt-5.2", "ollama:llama3.3:70b"] {
            assert_eq!(is_name(name), Ok(()), "{name}");
        }
        for name in ["opus", ":x", "x:", "a:b,c:d", "a:b c"] {
            assert!(is_name(name).is_err(), "{name}");
        }
    }
}
