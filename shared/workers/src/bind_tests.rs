use super::*;
use alfred_agent::tool::toolsets::Toolsets;
use alfred_core::Role;
use alfred_core::policy::Setting;
use alfred_testkit::cases;
use alfred_tools::catalogue;

/// The error for these worker files.
fn refused(workers: &[&str]) -> String {
    let text = |front: &&str| format!("{front}\ninstructions: x");
    let texts: Vec<String> = workers.iter().map(text).collect();
    let snapshot = Snapshot::of("team", texts.iter().map(|text| ("w", text.as_str())));
    match program(&snapshot, &Registry::of(&catalogue())) {
        Ok(_) => "none".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_a_worker_says_about_toolsets_is_checked() {
    let b = "name: b";
    cases::check(include_str!("bind_cases.txt"), |front| {
        refused(&[&format!("name: a\n{front}"), b])
    });
    assert_eq!(refused(&[b, b]), "w: there is a worker \"b\" already, in w");
    assert_eq!(refused(&[]), "a program without a worker");
}

#[test]
fn what_a_file_says_about_approving_is_kept_by_tool() {
    let front = "name: a\ntoolsets: {time: {approvalConfig: {default: ask, tools: {time_now: preApproved}}}}\ninstructions: x";
    let file = WorkerFile::parse("w", front).unwrap();
    let agent = alone(&file, &Registry::of(&catalogue())).unwrap();
    let said = |tool: &str| agent.approval.get(tool).copied();
    assert_eq!(said("time_now"), Some(Setting::PreApproved));
    assert_eq!(said("time_add"), Some(Setting::Ask));
}

/// The examples of the worker file specification, and the names of their tools.
#[test]
fn the_specifications_examples_can_be_used() {
    let others = ["analyzer", "formatter", "validator"]
        .map(|name| (name, format!("name: {name}\ninstructions: x")));
    let export =
        |name| format!("export const {name} = () => 1, {name}Schema = {{type: 'object'}};");
    let exports = ["add", "subtract", "multiply", "divide"].map(export);
    cases::check(include_str!("example_cases.txt"), |text| {
        let others = others.iter().map(|(name, text)| (*name, &**text));
        let mut snapshot = Snapshot::of("p", [("p/main.worker", text)].into_iter().chain(others));
        snapshot.beside = vec![Source {
            path: "p/math-tools.js".into(),
            text: exports.concat(),
        }];
        let catalogue = catalogue();
        let registry = Registry::of(&catalogue).with_modules_of_programs();
        let made = program(&snapshot, &registry).unwrap();
        let defs = made.own.tools.defs(Role::Admin, &Toolsets::All);
        let names: Vec<&str> = defs.iter().map(|def| &*def.name).collect();
        names.join(" ")
    });
}

#[test]
fn two_toolsets_of_one_name_are_an_error() {
    let catalogue = catalogue();
    let mut registry = Registry::of(&catalogue);
    let error = registry.register("time", Box::new(|_, _| Err("never made".into())));
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "two toolsets are called time");
}

#[test]
fn every_embedded_team_can_be_used() {
    for team in crate::programs::teams() {
        let kept = crate::built_in(&team, crate::programs::workers_of(&team));
        let names = |file: &WorkerFile| Some(format!("{team}/{}.js", file.module()?));
        let files = kept.workers.iter();
        let files = files.map(|kept| WorkerFile::parse(&kept.path, &kept.text).unwrap());
        let modules: Vec<String> = files.filter_map(|file| names(&file)).collect();
        let beside: Vec<&String> = kept.beside.iter().map(|kept| &kept.path).collect();
        assert_eq!(beside, modules.iter().collect::<Vec<_>>(), "{team}");
        let found = program(&kept, &Registry::of(&catalogue()));
        let found = found.unwrap_or_else(|error| panic!("{team}: {error}"));
        // A manager has only its team's workers as tools.
        let own = found.own.tools.defs(Role::Admin, &Toolsets::All);
        let own: Vec<&str> = own.iter().map(|def| &*def.name).collect();
        let others: Vec<&str> = found.workers.keys().map(String::as_str).collect();
        assert_eq!(own, others, "{team}");
    }
}

#[test]
fn what_is_wrong_with_toolsets_has_its_place() {
    let a = "---\nname: a\ntoolsets:\n  tide: {}\n  time:\n    tools: [time_now, time_fly]\n  workers: {allowed_workers: [b, c]}\n---\nx";
    let b = "name: b\ntoolsets:\n  skills: {allow: [x]}\ninstructions: x";
    let snapshot = Snapshot::of("team", [("a", a), ("b", b)]);
    let problems = problems(&snapshot, &Registry::of(&catalogue()));
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let starts = [
        "a:4:3: there is no toolset \"tide\"; there are: approval, ",
        "a:6:23: toolsets.time: there is no tool \"time_fly\"",
        "a:7:34: toolsets.workers: allowed_workers: there is no worker \"c\"",
        "b:3:12: toolsets.skills: unknown field `allow`, expected `allowed`",
    ];
    assert_eq!(said.len(), starts.len(), "{said:?}");
    for (said, start) in said.iter().zip(starts) {
        assert!(said.starts_with(start), "{said}");
    }
}
