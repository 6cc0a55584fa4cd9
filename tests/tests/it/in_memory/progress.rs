use alfred_core::Progress;
use alfred_core::ports::{Call, Intercept};
use alfred_testkit::intercepted;
use std::sync::{Arc, Mutex};

use crate::in_memory::audit::{approved, counted};

/// Records the progress at each store call.
struct Looks {
    progress: Arc<Progress>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Intercept for Looks {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        _: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        {
            let mut seen = self.seen.lock().unwrap();
            seen.extend(self.progress.words());
            seen.dedup();
        }
        work.await
    }
}

#[tokio::test]
async fn a_check_says_how_far_it_is() {
    let (world, _) = approved().await;
    let progress = Arc::new(Progress::default());
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let looks = Looks {
        progress: progress.clone(),
        seen: seen.clone(),
    };
    let store = intercepted(looks, world.store.clone());
    counted(&world, &store, &progress).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 101, "each percent of the days, and one run");
    assert_eq!(seen[0], "Reading the days of the audit: 0 %");
    assert_eq!(seen[50], "Reading the days of the audit: 50 %");
    assert_eq!(seen[100], "Checking the entries of the audit: 0 %");
    assert_eq!(progress.words(), None, "it is over");
}
