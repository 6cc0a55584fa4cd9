//! What is no turn, or only at the second attempt.

use alfred_core::ports::{Finish, ModelError, Turn};
use std::ops::RangeInclusive;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use super::{Heard, Provider, Say, Scene, question};

const NOON: Say = Say::Text(&["Noon."]);

/// What comes of these, the waits, and the requests.
async fn asked(
    provider: &Arc<impl Provider>,
    says: &[Say],
) -> (Result<Turn, ModelError>, Duration, Vec<Heard>) {
    let scene = Scene::new(provider, says);
    let (turn, _) = scene.ask(&question()).await;
    (turn, scene.waited(), scene.heard())
}

/// Asked until it answers, or three times. Each attempt that fails costs so many tokens, beside the turn.
async fn recovers(provider: &Arc<impl Provider>, fault: Say, tokens: RangeInclusive<u64>) {
    for (says, attempts) in [(vec![fault.clone(), NOON], 1), (vec![fault.clone()], 3)] {
        let scene = Scene::new(provider, &says);
        let (turn, wasted) = scene.ask(&question()).await;
        let heard = attempts + says.len() - 1;
        assert_eq!(scene.heard().len(), heard, "{fault:?}");
        let wasted = wasted.input_tokens / attempts as u64;
        assert!(tokens.contains(&wasted), "{fault:?}: {wasted}");
        let turn = turn.map(|turn| (turn.text, turn.usage.input_tokens)).ok();
        assert_eq!(
            turn,
            (attempts == 1).then_some(("Noon.".into(), 1_000)),
            "{fault:?}"
        );
    }
}

pub async fn an_answer_of_nothing_is_unusable(provider: &Arc<impl Provider>) {
    recovers(provider, Say::Nothing, 1_000..=1_000).await;
    let (turn, ..) = asked(provider, &[Say::Nothing]).await;
    assert!(matches!(turn, Err(ModelError::Unusable { .. })), "{turn:?}");
}

pub async fn too_many_requests_wait_as_long_as_is_said(provider: &Arc<impl Provider>) {
    let (turn, waited, _) = asked(provider, &[Say::TooMany(Some("7")), NOON]).await;
    assert_eq!(turn.unwrap().finish, Finish::Stop);
    assert_eq!(waited, Duration::from_secs(7));
}

pub async fn a_long_wait_is_the_callers(provider: &Arc<impl Provider>) {
    let (turn, waited, heard) = asked(provider, &[Say::TooMany(Some("90"))]).await;
    let Err(ModelError::RateLimited { retry_after, .. }) = turn else {
        panic!("{turn:?}");
    };
    assert_eq!(retry_after, Some(Duration::from_secs(90)));
    assert_eq!((waited, heard.len()), (Duration::ZERO, 1));
}

pub async fn too_many_requests_without_a_word_are_tried_again(provider: &Arc<impl Provider>) {
    recovers(provider, Say::TooMany(None), 0..=0).await;
    let (turn, ..) = asked(provider, &[Say::TooMany(None)]).await;
    let limited = matches!(
        turn,
        Err(ModelError::RateLimited {
            retry_after: None,
            ..
        })
    );
    assert!(limited, "{turn:?}");
}

pub async fn a_server_that_fails_is_asked_again(provider: &Arc<impl Provider>) {
    for (fault, tokens) in [
        (Say::Failing, 0..=0),
        (Say::Overloaded, 0..=0),
        (Say::OverloadedLater("The answer is"), 20..=1_000),
    ] {
        recovers(provider, fault.clone(), tokens).await;
        let (turn, ..) = asked(provider, from_ref(&fault)).await;
        let known = matches!(
            turn,
            Err(ModelError::Unavailable { .. } | ModelError::RateLimited { .. })
        );
        assert!(known, "{fault:?}: {turn:?}");
    }
}

pub async fn a_broken_connection_leaves_nothing_behind(provider: &Arc<impl Provider>) {
    recovers(provider, Say::Broken("The answer is f"), 20..=1_000).await;
}

pub async fn too_long_is_said_once(provider: &Arc<impl Provider>) {
    let (turn, _, heard) = asked(provider, &[Say::TooLong]).await;
    assert!(matches!(turn, Err(ModelError::TooLong { .. })), "{turn:?}");
    assert_eq!(heard.len(), 1);
}

pub async fn a_wrong_key_and_an_unknown_model_are_refused(provider: &Arc<impl Provider>) {
    for says in [Say::WrongKey, Say::UnknownModel] {
        let (turn, _, heard) = asked(provider, from_ref(&says)).await;
        let refused = matches!(turn, Err(ModelError::Refused { .. }));
        assert!(refused, "{says:?}: {turn:?}");
        assert_eq!(heard.len(), 1, "{says:?}");
    }
}

/// The one that waits for real: the limit is the machine's time.
pub async fn no_answer_in_time(provider: &Arc<impl Provider>) {
    let scene = Scene::new(provider, &[Say::Silence]);
    let mut request = question();
    request.timeout = Duration::from_millis(150);
    let (turn, wasted) = scene.ask(&request).await;
    assert!(matches!(turn, Err(ModelError::Timeout { .. })), "{turn:?}");
    assert!(wasted.input_tokens >= 20, "{wasted:?}");
}
