use super::*;
use crate::cases;
use crate::level::MOST_WORKERS;
use std::fs;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn worker(name: &str, calls: &[&str]) -> String {
    let calls = calls.join(", ");
    let toolsets = format!("toolsets: {{workers: {{allowed_workers: [{calls}]}}}}");
    let toolsets = if calls.is_empty() { "" } else { &toolsets };
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
    let named = match named.contains('.') {
        true => root.join(named),
        false => PathBuf::from(named),
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
    let (lead, reader, other) = (
        worker("lead", &["reader"]),
        worker("reader", &[]),
        worker("other", &[]),
    );
    let program = folder(&[
        ("alfred.yaml", "workerPaths: [team]"),
        ("team/deep/reader.worker", &reader),
        ("team/.hidden/reader.worker", &reader),
        ("start/lead.worker", &lead),
        ("start/main.worker", &worker("main", &[])),
        ("other.worker", &other),
    ]);
    let own = folder(&[
        (
            "workers/mine.worker",
            &worker("mine", &["reader", "utility"]),
        ),
        ("workers/reader.worker", &reader),
    ]);
    let cases = include_str!("folder_cases.txt");
    cases::check(cases, |named| found(&program, named, Some(&own)));
}

#[test]
fn what_cannot_be_used_is_named() {
    let (a, b) = (worker("a", &[]), worker("b", &[]));
    let twice = folder(&[
        ("a.worker", &a),
        ("workers/b.worker", &b),
        ("workers/c.worker", &b),
    ]);
    let said = found(&twice, "a.worker", None);
    assert!(
        said.ends_with("there is a worker \"b\" already, in ROOT/workers/b.worker")
            || said.ends_with("there is a worker \"b\" already, in ROOT/workers/c.worker"),
        "{said}"
    );
    let broken = folder(&[("a.worker", &a), ("workers/b.worker", "name: b")]);
    assert_eq!(
        found(&broken, "a.worker", None),
        "ROOT/workers/b.worker:1:1: no instructions; write them as the body, or as `instructions:`"
    );
    let several = folder(&[
        ("alfred.yaml", "colour: red"),
        (
            "a.worker",
            "name: a\ncolour: red\nmode: talk\ninstructions: x",
        ),
        ("b.worker", &b),
    ]);
    let said = found(&several, "b.worker", None);
    let places: Vec<&str> = said
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "ROOT/alfred.yaml:1:1",
            "ROOT/a.worker:2:1",
            "ROOT/a.worker:3:7"
        ],
        "{said}"
    );
    let long = folder(&[("a.worker", &a.replace('x', &"x".repeat(1 << 20)))]);
    assert_eq!(
        found(&long, "a.worker", None),
        "ROOT/a.worker: it is longer than 1 MB"
    );
    // Without a program file, subfolders are ignored.
    let bare = folder(&[("a.worker", &a), ("else/b.worker", "name: [")]);
    assert_eq!(found(&bare, "a.worker", None), "ROOT/a.worker");
    let many: Vec<(String, String)> = (0..=MOST_WORKERS + 1)
        .map(|n| {
            (
                format!("workers/w{n}.worker"),
                worker(&format!("w{n}"), &[]),
            )
        })
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert!(found(&folder(&many), "w1", None).contains("more than 200 worker files"));
}

#[cfg(unix)]
#[test]
fn a_link_is_no_worker_file() {
    let elsewhere = folder(&[("b.worker", &worker("b", &[]))]);
    let program = folder(&[("a.worker", &worker("a", &["b"]))]);
    let link = program.path().join("b.worker");
    std::os::unix::fs::symlink(elsewhere.path().join("b.worker"), link).unwrap();
    assert_eq!(found(&program, "a.worker", None), "ROOT/a.worker");
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
    ]);
    fs::create_dir(program.path().join("p/z.js")).unwrap();
    #[cfg(unix)]
    for (from, to) in [("../out.js", "link.js"), ("in", "linked")] {
        std::os::unix::fs::symlink(from, program.path().join("p").join(to)).unwrap();
    }
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
    assert_eq!(
        of("utility"),
        [(program, None), (Level::BuiltIn, Some(program))]
    );
    assert_eq!(of("marketing/manager"), [(Level::BuiltIn, None)]);
}

const READER: &str = "name: a\ntoolsets: {skills: {allowed: [minutes]}}\ninstructions: x";
const MINUTES: &str = "---\nname: minutes\ndescription: d\n---\nx";

#[test]
fn skills_are_kept_with_the_program() {
    let program = folder(&[
        ("a.worker", READER),
        (".claude/skills/minutes/SKILL.md", MINUTES),
        (".claude/skills/minutes/forms/short.md", "s"),
        (".claude/skills/minutes/.git/config", "hidden"),
        ("skills/other/SKILL.md", "broken, and nobody's"),
    ]);
    let picture = program.path().join(".claude/skills/minutes/logo.png");
    fs::write(picture, [0xff, 0xfe]).unwrap();
    let kept = "skill:minutes/SKILL.md skill:minutes/forms/short.md";
    assert_eq!(
        found(&program, "a.worker", None),
        format!("ROOT/a.worker {kept}")
    );
    let bare = folder(&[("a.worker", READER)]);
    let own = folder(&[
        ("skills/minutes/SKILL.md", MINUTES),
        ("skills/minutes/forms/short.md", "s"),
    ]);
    assert_eq!(
        found(&bare, "a.worker", Some(&own)),
        format!("ROOT/a.worker {kept}")
    );
}

#[test]
fn a_skill_that_cannot_be_used_is_named() {
    let long = "x".repeat(257 << 10);
    for (files, expected) in [
        (
            &[][..],
            "there is no skill \"minutes\" in skills, .skills or .claude/skills of ROOT, nor in your own",
        ),
        (
            &[
                ("skills/minutes/SKILL.md", MINUTES),
                (".skills/minutes/SKILL.md", MINUTES),
            ],
            "ROOT/.skills/minutes: there is a skill \"minutes\" already, in ROOT/skills/minutes",
        ),
        (
            &[(
                "skills/minutes/SKILL.md",
                "---\nname: minutes\ndescription: ''\n---\nx",
            )],
            "ROOT/skills/minutes/SKILL.md:3:1: description: must have 1 to 1024 characters",
        ),
        (
            &[
                ("skills/minutes/SKILL.md", MINUTES),
                ("skills/minutes/a.md", &long),
            ],
            "ROOT/skills/minutes: a skill has 100 files and 256 KB of text at most",
        ),
    ] {
        let program = folder(&[&[("a.worker", READER)], files].concat());
        assert_eq!(found(&program, "a.worker", None), expected);
    }
}

#[cfg(unix)]
#[test]
fn links_are_no_skill_and_no_file_of_one() {
    use std::os::unix::fs::symlink;
    let elsewhere = folder(&[("minutes/SKILL.md", MINUTES), ("secret", "s")]);
    let program = folder(&[("a.worker", READER), ("skills/x/SKILL.md", "x")]);
    let skill = program.path().join("skills/minutes");
    symlink(elsewhere.path().join("minutes"), &skill).unwrap();
    assert!(found(&program, "a.worker", None).starts_with("there is no skill"));
    fs::remove_file(&skill).unwrap();
    fs::create_dir(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), MINUTES).unwrap();
    symlink(elsewhere.path().join("secret"), skill.join("notes.md")).unwrap();
    assert_eq!(
        found(&program, "a.worker", None),
        "ROOT/skills/minutes/notes.md: it is a link, and a skill's files are its own"
    );
}
