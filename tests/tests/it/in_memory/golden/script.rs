//! The scripted model's answers as each worker, and its web pages.

use super::*;

/// The worker that a request addresses, by its instructions; the single worker if no team's match.
pub fn asked(team: &str, request: &TurnRequest) -> Option<String> {
    let Message::System { text } = &request.messages[0] else {
        panic!("no instructions")
    };
    let mut paths = alfred_workers::programs::workers_of(team).into_iter();
    paths.find_map(|path| {
        let file = alfred_workers::programs::worker(&path).unwrap();
        let file = WorkerFile::parse(&path, &file).unwrap();
        let is_asked = text.starts_with(file.instructions.trim());
        is_asked.then_some(file.name)
    })
}

pub fn plan(team: &str, task: &str, rounds: i32) -> Turn {
    let part = json!({"team": team, "task": task, "additional_instructions": "", "rounds": rounds, "after": [], "earlier": []});
    says(&json!({ "teams": [part] }).to_string())
}

pub fn hand(to: &str, input: &str) -> Turn {
    calls(&[("", to, &json!({ "input": input }).to_string())])
}

fn hand_all(to: &str, input: &str) -> Turn {
    let arguments = json!({ "input": input, "answer": true });
    calls(&[("", to, &arguments.to_string())])
}

fn may_pass_on(request: &TurnRequest) -> bool {
    let mut tools = request.tools.iter();
    tools.all(|tool| tool.parameters["properties"]["answer"].is_object())
}

pub fn results(request: &TurnRequest) -> Vec<Value> {
    let results = request.messages.iter().filter_map(|message| match message {
        Message::Tool { text, .. } => serde_json::from_str(text).ok(),
        _ => None,
    });
    results.collect()
}

pub fn turns(request: &TurnRequest) -> usize {
    let own = |message: &&Message| matches!(message, Message::Assistant { .. });
    request.messages.iter().filter(own).count()
}

pub const PAGES: [&str; 2] = ["https://oak.example/prices", "https://ash.example/report"];

pub struct Played;

#[async_trait]
impl Search for Played {
    async fn search(&self, _: &str, _: &Domains, _: usize) -> Result<Found, SearchError> {
        let page = |url: &str| FoundPage {
            source: source(url),
            snippet: "Oak costs 12.".into(),
        };
        Ok(Found {
            pages: PAGES.map(page).into(),
            ..Found::default()
        })
    }
}

#[async_trait]
impl Pages for Played {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError> {
        Ok(WebPage {
            url: url.to_owned(),
            title: "A page".into(),
            text: "Oak costs 12.".into(),
            truncated: false,
        })
    }
}

pub fn source(url: &str) -> Source {
    Source {
        url: url.into(),
        title: "A page".into(),
    }
}

/// Replaces citations and figures of earlier results in a script's words.
pub fn filled(words: &str, results: &[Value]) -> String {
    let figures = results.iter().rev().find_map(|one| one.get("result"));
    let figure = |name: &str| match figures.map(|figures| &figures[name]) {
        Some(Value::String(figure)) => figure.clone(),
        _ => "unknown".into(),
    };
    words
        .replace("{oak}", &source(PAGES[0]).mark())
        .replace("{ash}", &source(PAGES[1]).mark())
        .replace("{sum}", &figure("sum"))
        .replace("{mean}", &figure("mean"))
        .replace("{largest}", &figure("largest"))
}

pub fn line(line: &str, results: &[Value]) -> Turn {
    match line.strip_prefix(": ") {
        Some(words) => says(&filled(words, results)),
        None => {
            let (tool, arguments) = call(line);
            calls(&[("", tool, arguments)])
        }
    }
}

/// A team's turn. The manager calls each part's worker and returns their words.
pub fn of_team(golden: &Golden, who: &str, request: &TurnRequest) -> Turn {
    let results = results(request);
    if who != "manager" {
        let Message::User { text } = &request.messages[1] else {
            panic!("no task")
        };
        let at: usize = text.split(':').next().unwrap().parse().unwrap();
        return line(golden.parts[at].1[turns(request)], &results);
    }
    match golden.parts.get(results.len()) {
        Some((worker, _)) => {
            let input = format!("{}: {}", results.len(), golden.asks);
            // If one worker does all of it, the manager may pass its answer on.
            match golden.parts.len() == 1 && may_pass_on(request) {
                true => hand_all(worker, &input),
                false => hand(worker, &input),
            }
        }
        None => {
            let said = results.iter();
            let said = said.map(|one| one["result"].as_str().unwrap_or("?"));
            says(&said.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The lines of a golden request for which the single worker has tools.
pub fn alone(golden: &Golden) -> Vec<&'static str> {
    let lines = golden.parts.iter().flat_map(|(_, lines)| lines.iter());
    let made =
        lines.filter(|line| !line.starts_with(": ") && alfred_tools::tool(call(line).0).is_some());
    made.copied().collect()
}

pub fn of_one(golden: &Golden, request: &TurnRequest) -> Turn {
    match alone(golden).get(turns(request)) {
        Some(made) => line(made, &[]),
        None => {
            let words = golden.parts.iter().filter_map(|(_, lines)| lines.last());
            let words = words.map(|words| filled(words.trim_start_matches(": "), &[]));
            says(&words.collect::<Vec<_>>().join("\n"))
        }
    }
}

pub fn model(golden: &'static Golden, complex: bool) -> ScriptedModel {
    ScriptedModel::answering(move |request| {
        Ok(match &request.output {
            Output::Json { name, .. } if *name == "predicate" => {
                let lines = alone(golden).into_iter();
                let tools = lines.map(|line| alfred_tools::tool(call(line).0).unwrap());
                let sets = tools.map(|tool| tool.def().toolset.name.to_string());
                let sets: Vec<String> = sets.collect();
                says(&json!({"result": complex, "toolsets": sets}).to_string())
            }
            Output::Json { .. } => plan(golden.team, golden.asks, -1),
            Output::Text => match asked(golden.team, request) {
                Some(who) => of_team(golden, &who, request),
                None => of_one(golden, request),
            },
        })
    })
}
