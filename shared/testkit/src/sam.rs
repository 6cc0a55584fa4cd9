//! SAM templates as CloudFormation gets them.

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
#[must_use]
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

/// An executable with debug information has several hundred megabytes.
const PACKAGED_WITHIN: Duration = Duration::from_secs(120);

/// Strips an executable and writes it into an archive as `bootstrap`.
const PACKAGE: &str = r#"
import io, subprocess, sys, tempfile, zipfile
with tempfile.NamedTemporaryFile() as stripped:
    subprocess.run(["strip", "-o", stripped.name, sys.argv[1]], check=True)
    with open(stripped.name, "rb") as file:
        code = file.read()
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = 0o755 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, code)
sys.stdout.buffer.write(out.getvalue())
"#;

/// The deployment package of a function: its executable, stripped, as `bootstrap` in an archive.
///
/// # Panics
/// When there is no Python or no `strip`, or the file can't be read.
#[must_use]
pub fn package(executable: &Path) -> Vec<u8> {
    let home = tools::python_with(TRANSLATOR);
    let mut packager = Command::new(home.join("bin/python"));
    packager.args(["-c", PACKAGE]).arg(executable);
    let output = wait::output(PACKAGED_WITHIN, &mut packager);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{executable:?}: {said}");
    output.stdout
}
