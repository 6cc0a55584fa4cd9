//! Bedrock's event streams (<https://smithy.io/2.0/aws/amazon-eventstream.html>).

use alfred_testkit::stand_in::Reply;
use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};

/// Makes frames of the lines of a stream: `messageStart {…}` is an event, `!throttlingException {…}` an exception.
pub fn encode(reply: &mut Reply) {
    let kind = "application/vnd.amazon.eventstream".into();
    if reply.headers.contains(&("content-type".into(), kind)) {
        let lines = String::from_utf8(std::mem::take(&mut reply.body)).unwrap();
        for line in lines.lines() {
            write_message_to(&message(line), &mut reply.body).unwrap();
        }
    }
}

fn message(line: &str) -> Message {
    let (name, body) = line.split_once(' ').unwrap();
    let (kind, name) = match name.strip_prefix('!') {
        Some(name) => ("exception", name),
        None => ("event", name),
    };
    let header =
        |name: String, value: &str| Header::new(name, HeaderValue::String(value.to_owned().into()));
    Message::new(body.to_owned())
        .add_header(header(":message-type".into(), kind))
        .add_header(header(format!(":{kind}-type"), name))
        .add_header(header(":content-type".into(), "application/json"))
}
