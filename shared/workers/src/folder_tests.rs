use super::*;
use tempfile::TempDir;

/// A folder with these files.
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

/// The files of the program found, or why there is none, without the folder's own path.
fn found(folder: &TempDir, named: &str, own: Option<&TempDir>) -> String {
    let root = folder.path();
    let named = match named.contains('.') {
        true => root.join(named),
        false => PathBuf::from(named),
    };
    let said = match find(&named, root, own.map(TempDir::path)) {
        Ok(program) => {
            let paths = program.workers.into_iter().map(|one| one.path);
            paths.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string().lines().next().unwrap().to_owned(),
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
        ("mine.worker", &worker("mine", &["reader"])),
        ("reader.worker", &reader),
    ]);
    for (named, expected) in [
        (
            "start/lead.worker",
            "ROOT/start/lead.worker ROOT/team/deep/reader.worker",
        ),
        (
            "lead",
            "ROOT/start/lead.worker ROOT/team/deep/reader.worker",
        ),
        ("./start", "ROOT/start/main.worker"),
        ("mine", "OWN/mine.worker ROOT/team/deep/reader.worker"),
        (
            "nobody",
            "there is no worker \"nobody\" in ROOT; there are: lead, main, mine, other, reader",
        ),
        (
            "gone.worker",
            "ROOT/gone.worker: No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(found(&program, named, Some(&own)), expected, "{named}");
    }
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
    assert!(found(&broken, "a.worker", None).starts_with("ROOT/workers/b.worker: no instructions"));
    let long = folder(&[("a.worker", &a.replace('x', &"x".repeat(1 << 20)))]);
    assert_eq!(
        found(&long, "a.worker", None),
        "ROOT/a.worker: it is longer than 1 MB"
    );
    // Without a program file, what lies deeper is nobody's business.
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

/// The modules that are kept with the program of `a.worker`, or why there is none.
fn kept(folder: &TempDir, module: &str) -> String {
    let front = format!("toolsets: {{custom: {{module: {module}, tools: [x]}}}}");
    let file = folder.path().join("p/in/a.worker");
    fs::write(&file, format!("name: a\n{front}\ninstructions: x")).unwrap();
    let said = match find(&file, folder.path(), None) {
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
    let refused = "it must be below the program's folder, and no link";
    for (module, expected) in [
        (
            "./x",
            format!(r#"[Source {{ path: "ROOT/p/in/x.js", text: "{text}" }}]"#),
        ),
        (
            "../y.js",
            format!(r#"[Source {{ path: "ROOT/p/y.js", text: "{text}" }}]"#),
        ),
        (
            "../../out",
            format!("ROOT/p/in/a.worker: module \"../../out\": {refused}"),
        ),
        (
            "../link",
            format!("ROOT/p/in/a.worker: module \"../link\": {refused}"),
        ),
        (
            "../linked/x",
            format!("ROOT/p/in/a.worker: module \"../linked/x\": {refused}"),
        ),
        (
            "../z",
            format!("ROOT/p/in/a.worker: module \"../z\": {refused}"),
        ),
        (
            "../long",
            "ROOT/p/in/a.worker: module \"../long\": it is longer than 256 KB".into(),
        ),
        (
            "gone",
            "ROOT/p/in/gone.js: No such file or directory (os error 2)".into(),
        ),
        // The toolset says what is wrong with it.
        ("x.txt", "[]".into()),
    ] {
        assert_eq!(kept(&program, module), expected, "{module}");
    }
}
