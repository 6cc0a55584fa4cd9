//! SAM templates as CloudFormation gets them.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

use crate::tools;
use crate::wait::{self, LIMIT};

/// SAM's own translation, and the reader of YAML that it expects to be there.
const TRANSLATOR: &[(&str, &str)] = &[("aws-sam-translator", "1.115.0"), ("PyYAML", "6.0.3")];

/// Reads a template, points each function at `BUCKET/LOGICAL-ID.zip`, translates.
const TRANSLATE: &str = r#"
import json, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse
with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
for name, resource in template["Resources"].items():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = {"Bucket": sys.argv[2], "Key": name + ".zip"}
translator = Translator(managed_policy_map={}, sam_parser=Parser())
print(json.dumps(translator.translate(template, {"AWS::Region": "us-east-1"})))
"#;

/// The CloudFormation template that SAM makes of `template`, with the code of
/// each function at `code_bucket` under its logical id and `.zip`.
///
/// # Panics
/// When there is no Python, or SAM refuses the template.
pub fn translated(template: &Path, code_bucket: &str) -> Value {
    let home = tools::python_with(TRANSLATOR);
    let mut translator = Command::new(home.join("bin/python"));
    translator
        .args(["-c", TRANSLATE])
        .arg(template)
        .arg(code_bucket)
        // The partition is looked up by region.
        .env("AWS_DEFAULT_REGION", "us-east-1");
    let output = wait::output(LIMIT, &mut translator);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "SAM refused the template: {said}");
    serde_json::from_slice(&output.stdout).expect("a template in JSON")
}

/// Writes an archive whose `bootstrap` is a script that runs an executable.
const PACKAGE: &str = r#"
import io, shlex, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = 0o755 << 16
    archive.writestr(entry, '#!/bin/sh\nexec ' + shlex.quote(sys.argv[1]) + '\n')
sys.stdout.buffer.write(out.getvalue())
"#;

/// Packs a function for an emulator on this machine. The package runs the executable where it lies:
/// a copy of it would be 100 MB in each deployment.
///
/// # Panics
/// When there is no Python, or its path isn't absolute.
pub fn package(executable: &Path) -> Vec<u8> {
    assert!(executable.is_absolute(), "{}", executable.display());
    let home = tools::python_with(TRANSLATOR);
    let mut packager = Command::new(home.join("bin/python"));
    packager.args(["-c", PACKAGE]).arg(executable);
    let output = wait::output(LIMIT, &mut packager);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{executable:?}: {said}");
    output.stdout
}
