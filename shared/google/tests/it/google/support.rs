//! A connected Google account in the local Google.

use alfred_core::ports::Account;
use alfred_google::Google;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::{
    Account as GoogleAccount, ApiError, Fault, GoogleLocal, Options, Running, Seen, scope,
};
use alfred_testkit::{ManualClock, MemoryStore, discovery};
use std::sync::{Arc, LazyLock};

use super::discovery::Discovery;

pub const ANA: &str = "ana@example.com";

/// Ana's Google account with its clients. Time stands still.
pub struct World {
    pub running: Running,
    pub google: Arc<Google>,
    pub clock: ManualClock,
    pub store: Arc<MemoryStore>,
}

impl World {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = ManualClock::default();
        let local = GoogleLocal::open(options, Arc::new(clock.clone())).unwrap();
        local.put_account(GoogleAccount::new(ANA, "Ana Marques"));
        local.observe(as_described);
        let running = local.listen().await.unwrap();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        Self {
            google: Arc::new(running.client(ANA, &scope::ALL, &account(), store.clone())),
            running,
            clock,
            store,
        }
    }

    /// The clients as another process has them.
    pub fn another_process(&self) -> Google {
        self.consented_to(&scope::ALL)
    }

    /// The clients with a consent to these scopes alone.
    pub fn consented_to(&self, scopes: &[&str]) -> Google {
        let store = self.store.clone();
        self.running.client(ANA, scopes, &account(), store)
    }

    pub fn local(&self) -> &GoogleLocal {
        &self.running.google
    }

    /// Looks at Ana's account, or changes it without the API.
    pub fn ana<T>(&self, work: impl FnOnce(&mut GoogleAccount) -> T) -> T {
        self.local().with_account(ANA, work).unwrap()
    }

    /// Looks at one of her files, or changes it without the API.
    pub fn file<T>(&self, id: &str, work: impl FnOnce(&mut File) -> T) -> T {
        self.ana(|account| work(account.drive.file(id).unwrap()))
    }

    pub fn put_file(&self, id: &str, title: &str, content: Content, modified: &str) {
        let file = File::new(title, content, modified.parse().unwrap());
        self.ana(|account| account.drive.put(id, file));
    }

    /// The ids of her files of this title.
    pub fn files(&self, title: &str) -> Vec<String> {
        self.ana(|account| {
            let files = account.drive.files().filter(|(_, file)| file.name == title);
            files.map(|(id, _)| id.to_owned()).collect()
        })
    }

    pub fn calls(&self, method: &str) -> u64 {
        let counts = self.local().call_counts();
        counts.get(method).copied().unwrap_or_default()
    }
}

/// Checks a call against Google's own descriptions. Looks at files include those of shared drives.
pub fn as_described(seen: &Seen) {
    let needed = match seen.id {
        "drive.files.get" => &["supportsAllDrives"][..],
        "drive.files.list" => &["supportsAllDrives", "includeItemsFromAllDrives"],
        _ => &[],
    };
    for name in needed {
        let is_set = |(key, value): &(String, String)| key == name && value == "true";
        assert!(seen.query.iter().any(is_set), "{}: {name}", seen.id);
    }
    static DISCOVERY: LazyLock<Discovery> = LazyLock::new(|| Discovery::new(discovery::calls()));
    if let Err(wrong) = DISCOVERY.check(seen) {
        panic!("{wrong}");
    }
}

pub fn error(status: u16, reason: &'static str, retry_after: Option<u64>) -> ApiError {
    ApiError::new(status, reason, "As was wished.").retry_after(retry_after)
}

/// A fault as a text names it: `dropped`, or a status with a reason and seconds; `after` the call took effect.
pub fn fault(words: &[&str]) -> Fault {
    match *words {
        ["dropped"] => Fault::DropBefore,
        ["dropped", "after"] => Fault::DropAfter,
        ["garbled", "after"] => Fault::GarbledAfter,
        [status, "after"] => {
            Fault::ErrorAfter(error(status.parse().unwrap(), "backendError", None))
        }
        [status, ref rest @ ..] => {
            let reason = rest.first().map_or("", |reason| reason.to_string().leak());
            let seconds = rest.get(1).map(|seconds| seconds.parse().unwrap());
            Fault::Error(error(status.parse().unwrap(), reason, seconds))
        }
        [] => panic!("no fault"),
    }
}

/// Whose account is connected.
pub fn account() -> Account {
    Account::of(&"T1".into(), &"U1".into())
}
