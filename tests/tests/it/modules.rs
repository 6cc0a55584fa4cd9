//! Checks that the modules of `agent` import only layers above them in this list, and that no files of `agent` or
//! `core` import each other in a circle. A name imported from its re-export counts as one of the file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const LAYERS: [&str; 10] = [
    "model", "policy", "tool", "history", "store", "approval", "slack", "calls", "turn", "runner",
];

type Files = BTreeMap<String, String>;

/// The texts of a crate's files without their tests, by module path.
fn files(folder: &Path, module: &str, into: &mut Files) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        let name = name.strip_suffix(".rs").unwrap_or(&name);
        if path.is_dir() {
            files(&path, &format!("{module}{name}::"), into);
        } else if !name.ends_with("_tests") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = text.lines().filter(|line| !line.trim().starts_with("//"));
            let module = match name {
                "mod" | "lib" => module.trim_end_matches("::").to_owned(),
                _ => format!("{module}{name}"),
            };
            into.insert(module, code.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The paths that a tree of a `use` line names.
fn paths(tree: &str) -> Vec<String> {
    let (mut found, mut before) = (Vec::new(), vec![String::new()]);
    for part in tree.split_inclusive(['{', ',', '}']) {
        let name = part.trim_end_matches(['{', ',', '}']).trim();
        let name = name.split(" as ").next().unwrap_or(name);
        let path = format!("{}{name}", before.last().unwrap());
        if part.ends_with('{') {
            before.push(path);
        } else if !name.is_empty() {
            found.push(path.trim_end_matches("::self").to_owned());
        }
        if part.ends_with('}') {
            before.pop();
        }
    }
    found
}

/// A path from the crate's root on.
fn absolute(module: &str, path: &str) -> String {
    match (path.strip_prefix("super::"), module.rsplit_once("::")) {
        (Some(rest), Some((parent, _))) => absolute(parent, rest),
        _ if path.starts_with("crate::") => path.to_owned(),
        _ => format!("{module}::{path}"),
    }
}

/// The paths that a file names in its code, in `use` lines and in re-exports.
fn named(module: &str, text: &str) -> [Vec<String>; 3] {
    let mut found = [const { Vec::new() }; 3];
    for item in text.split(';') {
        let (before, tree) = item.rsplit_once("use ").unwrap_or((item, ""));
        let (at, code, tree) = match before.rsplit('\n').next().unwrap().trim() {
            "" => (1, before, tree),
            "pub" | "pub(crate)" | "pub(super)" => (2, before, tree),
            _ => (0, item, ""),
        };
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let inline = words.filter(|word| word.contains("::"));
        found[0].extend(inline.map(|path| absolute(module, path)));
        found[at].extend(paths(tree).iter().map(|path| absolute(module, path)));
    }
    found
}

/// The paths of names that files import or re-export, by their paths in these files.
fn names(files: &Files) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (module, text) in files {
        let [_, used, exported] = named(module, text);
        for path in used.iter().chain(&exported) {
            let (from, name) = path.rsplit_once("::").unwrap();
            // A glob stands for the public items of its file.
            let whole = files.get(from).filter(|_| name == "*");
            let lines = whole.iter().flat_map(|text| text.lines());
            let public = lines.filter(|line| line.starts_with("pub"));
            let words = public.filter_map(|line| line.split_whitespace().nth(2));
            let items = words.filter_map(|word| word.split(['(', '<', ':']).next());
            for name in items.chain([name]) {
                let (name, path) = (absolute(module, name), absolute(from, name));
                if !path.starts_with(&name) {
                    names.insert(name, path);
                }
            }
        }
    }
    names
}

/// The file that defines what a path names.
fn file<'a>(path: &str, files: &'a Files, names: &BTreeMap<String, String>) -> &'a str {
    let mut known = path;
    loop {
        if let Some((file, _)) = files.get_key_value(known) {
            return file;
        }
        if let Some(target) = names.get(known) {
            return file(&format!("{target}{}", &path[known.len()..]), files, names);
        }
        known = known.rsplit_once("::").unwrap().0;
    }
}

#[test]
fn imports_go_to_lower_layers_only_and_never_in_a_circle() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    for name in ["agent", "core"] {
        let mut all = Files::new();
        files(&shared.join(name).join("src"), "crate::", &mut all);
        let names = names(&all);
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (module, text) in &all {
            let [code, used, _] = named(module, text);
            let paths = code.iter().chain(&used);
            let imported = paths.map(|path| file(path, &all, &names));
            edges.insert(module, imported.filter(|other| other != module).collect());
        }
        let layer = |module: &str| {
            let first = module.split("::").nth(1);
            LAYERS.iter().position(|layer| Some(*layer) == first)
        };
        // The first is the crate itself.
        for (module, imported) in edges.iter().filter(|_| name == "agent").skip(1) {
            assert!(layer(module).is_some(), "{module} is in no layer");
            let upward = imported.iter().find(|other| layer(other) > layer(module));
            assert_eq!(upward, None, "{module} imports a higher layer");
        }
        // Files that import nothing, or that nothing imports, are removed until only circles are left.
        let mut left = usize::MAX;
        while edges.len() < left {
            left = edges.len();
            let importing: BTreeSet<&str> = edges.keys().copied().collect();
            let imported: BTreeSet<&str> = edges.values().flatten().copied().collect();
            edges.retain(|file, to| imported.contains(file) && !to.is_disjoint(&importing));
        }
        assert!(edges.is_empty(), "{name} has circles: {edges:?}");
    }
}
