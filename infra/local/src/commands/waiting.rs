//! What is shown at a terminal while an answer takes long.

use std::pin::pin;
use std::time::Duration;

use crate::terminal::Line;

/// What is answered sooner needs no words.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// The answer. Until it is there, how far it is stands on one line of the terminal, as `look` finds it.
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
