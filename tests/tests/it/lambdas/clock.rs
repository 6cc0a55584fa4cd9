//! The time of day of one deployment: its functions and the stand-ins around it. A test sets it
//! forward where a deployment would wait for minutes.

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

/// A clock that a test sets forward. Waits take their real time.
#[derive(Debug)]
pub struct MovableClock {
    shift_seconds: AtomicI64,
    /// The emulator and its functions read the shift from here.
    shift_file: PathBuf,
}

impl MovableClock {
    /// `name` must differ from those of all clocks in use on this machine.
    pub fn new(name: &str) -> Self {
        let clock = Self {
            shift_seconds: AtomicI64::default(),
            shift_file: target_folder().join(format!("clock-{name}")),
        };
        clock.elapse(SignedDuration::ZERO);
        clock
    }

    /// Lets this time pass at once.
    pub fn elapse(&self, time: SignedDuration) {
        let seconds = time.as_secs();
        let shift = self.shift_seconds.fetch_add(seconds, Ordering::Relaxed) + seconds;
        // Not truncated: a process that reads an empty mapping ends with SIGBUS.
        let mut options = File::options();
        let options = options.write(true).create(true).truncate(false);
        let file = options.open(&self.shift_file).unwrap();
        file.write_all_at(&shift.to_ne_bytes(), 0).unwrap();
    }

    /// The environment that gives a process and its children this clock.
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

/// The library that replaces the clock of a process, compiled once a test process.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/lambdas/clock.c");
        // Other test processes may be using the library: it is replaced, not overwritten.
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
