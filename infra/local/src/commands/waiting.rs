//! Shows progress in the terminal during a long wait.

use std::pin::pin;
use std::time::Duration;

use crate::terminal::Line;

/// A faster answer shows no progress.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Waits for the answer and shows the progress from `look` in one terminal line.
pub async fn shown<T>(
    answer: impl Future<Output = T>,
    mut look: impl AsyncFnMut() -> Option<String>,
) -> T {
    let Some(mut line) = Line::of_terminal() else {
        return answer.await;
    };
    let mut answer = pin!(answer);
    loop {
        let found = async {
            tokio::time::sleep(LOOK_EVERY).await;
            look().await
        };
        tokio::select! {
            answered = &mut answer => return answered,
            words = found => line.show(&words.unwrap_or_default()),
        }
    }
}
