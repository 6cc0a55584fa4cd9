//! A deployment's clock for its functions and stand-ins. Tests move it forward instead of waiting for minutes.

use alfred_core::ports::{Clock, SystemClock};
use alfred_testkit::wait::{self, LIMIT};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Sleeps take their real time.
#[derive(Debug)]
pub struct MovableClock {
    shift_seconds: AtomicI64,
    /// The emulator and its functions read the shift from here.
    shift_file: PathBuf,
}

impl MovableClock {
    /// `name` must be unique among the clocks in use on this machine.
    pub fn new(name: &str) -> Self {
        let clock = Self {
            shift_seconds: AtomicI64::default(),
            shift_file: target_folder().join(format!("clock-{name}")),
        };
        clock.elapse(SignedDuration::ZERO);
        clock
    }

    pub fn elapse(&self, time: SignedDuration) {
        let seconds = time.as_secs();
        let shift = self.shift_seconds.fetch_add(seconds, Ordering::Relaxed) + seconds;
        // Don't truncate: a process that reads an empty mapping dies from SIGBUS.
        let mut options = File::options();
        let options = options.write(true).create(true).truncate(false);
        let file = options.open(&self.shift_file).unwrap();
        file.write_all_at(&shift.to_ne_bytes(), 0).unwrap();
    }

    /// The environment that applies this clock to a process and its children.
    pub fn variables(&self) -> [(&'static str, &str); 2] {
        let shift_file = self.shift_file.to_str().unwrap();
        [("LD_PRELOAD", library()), ("CLOCK_SHIFT", shift_file)]
    }
}

#[async_trait]
impl Clock for MovableClock {
    fn now(&self) -> Timestamp {
        let shift = SignedDuration::from_secs(self.shift_seconds.load(Ordering::Relaxed));
        SystemClock.now() + shift
    }

    async fn sleep(&self, duration: Duration) {
        SystemClock.sleep(duration).await;
    }
}

fn target_folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// A library that replaces a process's clock, compiled once per test process.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/lambdas/clock.c");
        // Replaced instead of overwritten, because other test processes may use it.
        let made = target_folder().join(format!("clock-{}.so", process::id()));
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]);
        let compiled = wait::output(LIMIT, compiler.arg(&made).arg(source));
        assert!(compiled.status.success(), "clock.c doesn't compile");
        let library = target_folder().join("clock.so");
        fs::rename(made, &library).unwrap();
        library.into_os_string().into_string().unwrap()
    })
}
