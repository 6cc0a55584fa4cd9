use super::*;
use crate::level::MOST_WORKERS;
use alfred_testkit::cases;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const READER: &str = "name: a\ntoolsets: {skills: {allowed: [minutes]}}\ninstructions: x";
const MINUTES: &str = "---\nname: minutes\ndescription: d\n---\nx";

/// A folder with these files: texts by path, or `->` and the target of a link.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.strip_prefix("->") {
            Some(target) => symlink(target, path).unwrap(),
            None => fs::write(path, text).unwrap(),
        }
    }
    folder
}

fn worker(name: &str, calls: &[&str]) -> String {
    let calls = calls.join(", ");
    let toolsets = match &*calls {
        "" => String::new(),
        calls => format!("toolsets: {{workers: {{allowed_workers: [{calls}]}}}}"),
    };
    format!("name: {name}\n{toolsets}\ninstructions: x\n")
}

fn below<'a>(folder: &'a TempDir, own: Option<&'a TempDir>) -> Below<'a> {
    Below {
        folder: folder.path(),
        always: false,
        data: own.map(TempDir::path),
    }
}

/// The files of the program, or the error, without the folder's own path.
fn found(folder: &TempDir, named: &str, own: Option<&TempDir>) -> String {
    let root = folder.path();
    let named = if named.contains('.') {
        root.join(named)
    } else {
        named.into()
    };
    let said = match find(&named, below(folder, own)) {
        Ok(program) => {
            let sources = program.workers.into_iter().chain(program.beside);
            sources.map(|one| one.path).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    };
    let own = own.map_or("-".into(), |own| own.path().display().to_string());
    let said = said.replace(&own, "OWN");
    said.replace(&root.display().to_string(), "ROOT")
}

#[test]
fn a_program_is_the_worker_and_whom_it_may_call() {
    let [reader, other] = ["reader", "other"].map(|name| worker(name, &[]));
    let lead = worker("lead", &["reader"]);
    let mine = worker("mine", &["reader", "utility"]);
    let program = folder(&[
        ("alfred.yaml", "workerPaths: [team]"),
        ("team/deep/reader.worker", &reader),
        ("team/.hidden/reader.worker", &reader),
        ("start/lead.worker", &lead),
        ("start/main.worker", &worker("main", &[])),
        ("other.worker", &other),
    ]);
    let own = folder(&[
        ("workers/mine.worker", &mine),
        ("workers/reader.worker", &reader),
    ]);
    let cases = include_str!("folder_cases.txt");
    cases::check(cases, |named| found(&program, named, Some(&own)));
}

/// `a.worker` of the program with the files in a line: `PATH=TEXT`, with `;;` between them. `OWN` is the person's
/// data folder, and `ELSE` another one.
fn of_files(files: &str) -> String {
    let elsewhere = worker("b", &[]);
    let elsewhere = folder(&[("b.worker", &elsewhere), ("minutes/SKILL.md", MINUTES)]);
    let text = files.replace("ELSE", &elsewhere.path().display().to_string());
    let text = text.replace("READER", READER).replace("MINUTES", MINUTES);
    let text = text.replace("LONG", &"x".repeat(257 << 10));
    let (mut own, mut files) = (Vec::new(), Vec::new());
    for (path, text) in text.split(" ;; ").filter_map(|file| file.split_once('=')) {
        match path.strip_prefix("OWN/") {
            Some(path) => own.push((path, text)),
            None => files.push((path, text)),
        }
    }
    found(&folder(&files), "a.worker", Some(&folder(&own)))
}

#[test]
fn files_are_found_or_the_error_names_them() {
    cases::check(include_str!("files_cases.txt"), of_files);
    let program = folder(&[("a.worker", READER), ("skills/minutes/SKILL.md", MINUTES)]);
    let picture = program.path().join("skills/minutes/logo.png");
    fs::write(picture, [0xff, 0xfe]).unwrap();
    let expected = "ROOT/a.worker skill:minutes/SKILL.md";
    assert_eq!(found(&program, "a.worker", None), expected);
    let many = (0..=MOST_WORKERS + 1).map(|n| {
        let name = format!("w{n}");
        (format!("workers/{name}.worker"), worker(&name, &[]))
    });
    let many: Vec<(String, String)> = many.collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert!(found(&folder(&many), "w1", None).contains("more than 200 worker files"));
}

/// The modules kept with the program of `a.worker`, or the error.
fn kept(folder: &TempDir, module: &str) -> String {
    let front = format!("toolsets: {{custom: {{module: {module}, tools: [x]}}}}");
    let file = folder.path().join("p/in/a.worker");
    fs::write(&file, format!("name: a\n{front}\ninstructions: x")).unwrap();
    let said = match find(&file, below(folder, None)) {
        Ok(program) => format!("{:?}", program.beside),
        Err(error) => error.to_string(),
    };
    said.replace(&folder.path().display().to_string(), "ROOT")
}

#[test]
fn a_module_is_kept_with_its_program() {
    let text = "export const x = 1;";
    let program = folder(&[
        ("out.js", text),
        ("p/alfred.yaml", ""),
        ("p/in/x.js", text),
        ("p/y.js", text),
        ("p/in/x.txt", text),
        ("p/long.js", &" ".repeat(MOST_BYTES as usize / 2)),
        ("p/link.js", "->../out.js"),
        ("p/linked", "->in"),
    ]);
    fs::create_dir(program.path().join("p/z.js")).unwrap();
    let cases = include_str!("module_cases.txt");
    cases::check(cases, |module| kept(&program, module));
}

#[test]
fn an_earlier_level_shadows_a_later_one() {
    let program = folder(&[
        ("a.worker", &worker("a", &[])),
        ("u.worker", &worker("utility", &[])),
    ]);
    let own = folder(&[("workers/a.worker", &worker("a", &[]))]);
    let found = Found::of(below(&program, Some(&own))).unwrap();
    let listed = found.list();
    let of = |name: &str| {
        let named = listed.iter().filter(|one| one.name == name);
        named.map(|one| (one.level, one.behind)).collect::<Vec<_>>()
    };
    let (program, own) = (Level::Program, Level::Own);
    assert_eq!(of("a"), [(program, None), (own, Some(program))]);
    let utility = [(program, None), (Level::BuiltIn, Some(program))];
    assert_eq!(of("utility"), utility);
    assert_eq!(of("marketing/manager"), [(Level::BuiltIn, None)]);
}
