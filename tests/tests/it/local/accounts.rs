//! Another account of the same machine can't read the data.

use alfred_testkit::{LIMIT, wait};
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use crate::local::cli::{Cli, ends, folder};
use crate::local::process::{run, stderr};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn as_nobody(script: &str, path: &Path) -> Output {
    let user = "--reuid=65534 --regid=65534 --clear-groups sh -c".split(' ');
    let mut command = Command::new("setpriv");
    // From util-linux.
    wait::output(LIMIT, command.args(user).args([script, "sh"]).arg(path))
}

#[tokio::test]
async fn a_folder_that_was_open_is_closed_to_it_with_a_word() {
    let outer = folder();
    fs::set_permissions(outer.path(), Permissions::from_mode(0o755)).unwrap();
    let data = outer.path().join("data");
    let cli = Cli::on(&data);
    cli.said("ask 'Add a task: secret plan'").await;
    assert_eq!(mode(&data), 0o700);
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    let root = fs::metadata(&data).unwrap().uid() == 0;
    // Only root can switch to another account; otherwise only the modes are checked.
    let read = "cat \"$1\"/*.db \"$1\"/alfred.lock \"$1\"/secrets.json; ls \"$1\"";
    if root {
        let seen = as_nobody(read, &data);
        let looked = !seen.stdout.is_empty();
        assert!(looked, "nobody looks as it should: {seen:?}");
    }
    let told = run(&mut cli.command("ask 'show my tasks'")).await;
    assert!(told.status.success());
    let words = stderr(&told).replace(data.to_str().unwrap(), "DATA");
    assert_snapshot!(words, @"alfred: other accounts of this machine could get into DATA (mode 755); now only yours can");
    let serving = cli.serve().await;
    assert_eq!(mode(&data), 0o700);
    for name in ["alfred.lock", "secrets.json"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    if root {
        let seen = as_nobody(read, &data);
        assert!(seen.stdout.is_empty(), "{seen:?}");
        let written = as_nobody("echo x > \"$1\"/alfred.lock || ln -s /etc \"$1\"/x", &data);
        assert!(!written.status.success(), "{written:?}");
    }
    let quiet = run(&mut cli.command("ask 'show my tasks'")).await;
    assert_eq!(stderr(&quiet), "");
    serving.kill().await;
}

#[tokio::test]
async fn what_it_laid_out_is_not_used() {
    let outer = folder();
    let data = outer.path().join("data");
    fs::create_dir(&data).unwrap();
    let is_root = fs::metadata(&data).unwrap().uid() == 0;
    if is_root {
        let secrets = data.join("secrets.json");
        fs::write(&secrets, r#"{"alfred/LOCAL_SLACK_BOT_TOKEN": "known"}"#).unwrap();
        fs::set_permissions(&secrets, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::lchown(&secrets, Some(65_534), None).unwrap();
    }
    let theirs = if is_root { &*data } else { Path::new("/") };
    let words = ends(1, &mut Cli::on(theirs).command("ask hello")).await;
    assert!(words.contains("belongs to another account"), "{words}");
}
