//! Logs: one JSON line an event on stdout, with a readable message, dotted
//! fields and the spans it happened in. Never bodies, never secrets.

use std::io;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

/// The least serious of our own lines that are logged. Lambda's own level would drop the metrics too.
const ALFRED_LOG_LEVEL: &str = "ALFRED_LOG_LEVEL";

/// Starts logging, and logs panics by their place only: their text may quote a message. Does nothing when a subscriber
/// is already there. Costs some 20 µs: no filter expressions, no threads, no files.
pub fn init() {
    let level = level(std::env::var(ALFRED_LOG_LEVEL).ok().as_deref());
    if tracing::subscriber::set_global_default(subscriber(level, io::stdout)).is_ok() {
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string);
            let place = place.as_deref().unwrap_or("unknown");
            tracing::error!(panic.place = place, "panicked");
        }));
    }
}

/// Our own crates at `level`, the runtime's spans for the request id, of all others warnings.
fn subscriber<W>(level: LevelFilter, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let ours = ["alfred", "slack_receiver", "classifier", "utility_worker"];
    let targets = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("lambda_runtime", LevelFilter::INFO)
        .with_targets(ours.map(|name| (name, level)))
        .with_target("team_manager", level);
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(true)
        .with_writer(writer);
    tracing_subscriber::layer::Layer::with_subscriber(lines, Registry::default().with(targets))
}

/// An unknown level is the default, information.
fn level(setting: Option<&str>) -> LevelFilter {
    let level = setting.and_then(|level| level.parse().ok());
    level.unwrap_or(LevelFilter::INFO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines(level: LevelFilter, work: impl FnOnce()) -> Vec<Value> {
        let sink = Sink::default();
        let writer = sink.clone();
        tracing::subscriber::with_default(subscriber(level, move || writer.clone()), work);
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    #[test]
    fn a_line_has_a_message_dotted_fields_and_its_spans() {
        let lines = lines(LevelFilter::INFO, || {
            let _span = tracing::info_span!("envelope", trace.id = "t1").entered();
            tracing::info!(queue.receives = 2, "took \"it\" up");
            tracing::debug!("too fine");
            tracing::info!(target: "hyper::client", "chatter");
        });
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(lines[0]["message"], "took \"it\" up");
        assert_eq!(lines[0]["queue.receives"], 2);
        assert_eq!(lines[0]["level"], "INFO");
        assert_eq!(lines[0]["spans"][0]["trace.id"], "t1");
    }

    #[test]
    fn an_unknown_level_is_information() {
        assert_eq!(level(Some("debug")), LevelFilter::DEBUG);
        assert_eq!(level(Some("ERROR")), LevelFilter::ERROR);
        assert_eq!([level(None), level(Some("?"))], [LevelFilter::INFO; 2]);
        let quiet = lines(LevelFilter::ERROR, || tracing::warn!("not now"));
        assert!(quiet.is_empty());
    }
}
