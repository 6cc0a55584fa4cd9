//! Checks by their `use` lines that the modules of `agent` import only layers above them in this list, and that no
//! files of `agent` or `core` import each other in a circle.

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
        } else if !name.ends_with("_tests") && name != "lib" {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let module = match name {
                "mod" => module.trim_end_matches("::").to_owned(),
                _ => format!("{module}{name}"),
            };
            into.insert(module, text.to_owned());
        }
    }
}

/// The paths that a tree of a `use` line names.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let inner = &rest[..rest.rfind('}').unwrap()];
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().unwrap().push(c),
        }
    }
    let whole = |part: &String| paths(&format!("{}{}", before.trim(), part.trim()));
    parts.iter().flat_map(whole).collect()
}

/// The files that a file imports from its own crate.
fn imports<'a>(module: &str, text: &str, files: &'a Files) -> BTreeSet<&'a str> {
    let uses = text.split("use crate::").skip(1);
    let named = uses.flat_map(|line| paths(line.split(';').next().unwrap()));
    let inline = text.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    let file = |path: String| {
        let mut path = path.trim_end_matches("::self");
        loop {
            if let Some((known, _)) = files.get_key_value(path) {
                return Some(known.as_str());
            }
            path = path.rsplit_once("::")?.0;
        }
    };
    let found = named.chain(inline).filter_map(file);
    found.filter(|other| *other != module).collect()
}

#[test]
fn imports_go_to_lower_layers_only_and_never_in_a_circle() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    for name in ["agent", "core"] {
        let mut all = Files::new();
        files(&shared.join(name).join("src"), "", &mut all);
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = all
            .iter()
            .map(|(module, text)| (module.as_str(), imports(module, text, &all)))
            .collect();
        let layer = |module: &str| {
            let first = module.split("::").next();
            LAYERS.iter().position(|layer| Some(*layer) == first)
        };
        for (module, imported) in edges.iter().filter(|_| name == "agent") {
            assert!(layer(module).is_some(), "{module} is in no layer");
            let upward = imported.iter().find(|other| layer(other) > layer(module));
            assert_eq!(upward, None, "{module} imports a higher layer");
        }
        // Files without imports are removed until only circles are left.
        while let Some(done) = edges
            .iter()
            .find(|(_, to)| to.is_empty())
            .map(|(one, _)| *one)
        {
            edges.remove(done);
            edges.values_mut().for_each(|to| {
                to.remove(done);
            });
        }
        assert!(edges.is_empty(), "{name} has circles: {edges:?}");
    }
}
