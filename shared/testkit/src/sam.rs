//! SAM templates as CloudFormation gets them.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

use crate::tools;
use crate::wait::{self, LIMIT};

/// SAM's own translation, and the reader of YAML that it expects to be there.
const TRANSLATOR: &[(&str, &str)] = &[("aws-sam-translator", "1.115.0"), ("PyYAML", "6.0.3")];

const TRANSLATE: &str = include_str!("sam_translate.py");

/// The CloudFormation template that SAM makes of `template`. A function's code is at `code_bucket`, as `ID.zip`.
pub fn translated(template: &Path, code_bucket: &str) -> Value {
    let template = printed(TRANSLATE, &[template, Path::new(code_bucket)]);
    serde_json::from_slice(&template).expect("a template in JSON")
}

const PACKAGE: &str = include_str!("sam_package.py");

/// Packs a function for an emulator on this machine. The package runs the executable where it lies:
/// a copy of it would be 100 MB in each deployment.
pub fn package(executable: &Path) -> Vec<u8> {
    assert!(executable.is_absolute(), "{}", executable.display());
    printed(PACKAGE, &[executable])
}

/// What a script prints that has these arguments.
fn printed(script: &str, arguments: &[&Path]) -> Vec<u8> {
    let mut python = Command::new(tools::python_with(TRANSLATOR).join("bin/python"));
    // SAM looks up the partition by region.
    python.env("AWS_DEFAULT_REGION", "us-east-1");
    let output = wait::output(LIMIT, python.args(["-c", script]).args(arguments));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "SAM: {arguments:?}: {said}");
    output.stdout
}
