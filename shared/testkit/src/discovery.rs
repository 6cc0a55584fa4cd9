//! Google's discovery documents, as its own client for Python carries them.

use serde_json::Value;
use std::process::Command;

use crate::tools;

const PACKAGE: &str = "google-api-python-client";
const VERSION: &str = "2.202.0";
const PREPARE: &str = include_str!("discovery_prepare.py");
const DOCUMENTS: &str = "gmail.v1.json calendar.v3.json docs.v1.json sheets.v4.json drive.v3.json";

/// The schemas of all calls. The documents are installed when they are first asked for.
pub fn calls() -> Value {
    let home = tools::installed(&format!("{PACKAGE}-{VERSION}-calls"), |installation| {
        installation.download(&[&format!("{PACKAGE}=={VERSION}")]);
        let mut prepare = Command::new(tools::python());
        prepare.args(["-c", PREPARE]).arg(installation.folder());
        installation.run(prepare.args(DOCUMENTS.split(' ')));
    });
    serde_json::from_slice(&std::fs::read(home.join("calls.json")).unwrap()).unwrap()
}
