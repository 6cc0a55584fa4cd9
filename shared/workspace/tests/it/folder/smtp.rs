//! The calls about the SMTP server by which the folder's mail leaves.

use super::{World, names, which};

use alfred_testkit::smtp_server::{Act, Point};
use alfred_workspace::Smtp;
use mail_parser::{MessageParser, MimeHeaders};
use std::fs;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Lines with more bytes than these are counted only.
const LONG: usize = 1_000;

impl World {
    /// `None` if the call isn't one about SMTP.
    pub(super) async fn smtp(&mut self, words: &[&str]) -> Option<String> {
        let server = self.server.clone();
        let through = |smtp: Smtp| self.folder.workspace.clone().with_smtp(smtp);
        match *words {
            ["smtp"] => {
                let smtp = Smtp::read(&server.url(), None).unwrap();
                self.folder.workspace = through(smtp);
            }
            ["smtp", url, ref password @ ..] => {
                let url = url.replace("PORT", &server.port.to_string());
                let password = password.first().map(|&word| word.into());
                let smtp = Smtp::read(&url, password).unwrap();
                self.folder.workspace = through(smtp.with_patience(Duration::from_secs(5)));
            }
            ["hurried"] => {
                let workspace = self.folder.workspace.clone();
                self.folder.workspace = workspace.queueing_for(Duration::from_millis(1));
            }
            ["offer", ref lines @ ..] => {
                let lines = lines.iter().map(|&line| &*line.to_owned().leak());
                server.offer(&lines.collect::<Vec<_>>());
            }
            ["refuse", address, answer] => server.refuse(address, answer.to_owned().leak()),
            ["fail", at, act] => {
                let act = match act {
                    "drop" => Act::Drop,
                    "hang" => Act::Hang,
                    answer => Act::Say(answer.to_owned().leak()),
                };
                server.fail(point(at), act);
            }
            ["slow", at] => {
                let (go_on, waits) = mpsc::channel();
                server.fail(point(at), Act::Wait(Arc::new(Mutex::new(waits))));
                self.go_on = Some(go_on);
            }
            ["reached"] => {
                let reached = tokio::task::spawn_blocking(move || server.reached());
                reached.await.unwrap();
            }
            ["go-on"] => self.go_on.take().unwrap().send(()).unwrap(),
            ["logins"] => return Some(server.logins().join("\n")),
            ["kept"] => return Some(self.kept()),
            ["letter"] => return Some(self.letter()),
            _ => return None,
        }
        Some(String::new())
    }

    /// What the folder has, how often the server was called, and what it took.
    fn kept(&self) -> String {
        let files = |name: &str| -> Vec<Vec<u8>> {
            let path = self.folder.path(name);
            let mut names = names(&path);
            names.retain(|name| name != "none");
            let read = |name: String| fs::read(path.join(name)).unwrap();
            names.into_iter().map(read).collect()
        };
        let (sent, outbox) = (files("mail/sent"), files("mail/outbox"));
        let mut lines = vec![format!(
            "{} sent, {} in the outbox, {} connections",
            sent.len(),
            outbox.len(),
            self.server.connections()
        )];
        lines.extend(self.server.taken().iter().map(|mail| {
            let to = mail.to.join(", ");
            let is_kept = sent.iter().chain(&outbox).any(|bytes| *bytes == mail.bytes);
            let flags = [(!mail.bytes.is_ascii(), " 8bit"), (is_kept, " as-kept")];
            let flags: String = which(&flags).collect();
            format!("from {} to {to}{flags} {}", mail.from, mail.parameters)
        }));
        lines.join("\n")
    }

    /// The last mail that the server took: the names of its headers and its texts, unfolded.
    fn letter(&self) -> String {
        let taken = self.server.taken().pop().unwrap();
        let mail = MessageParser::default().parse(&taken.bytes).unwrap();
        let names: Vec<&str> = mail.headers().iter().map(|header| header.name()).collect();
        let (id, subject) = (mail.message_id().unwrap(), mail.subject().unwrap());
        let mut lines = vec![names.join(" "), id.into(), subject.into()];
        for part in &mail.parts {
            let kind = part.content_type().unwrap();
            let method = kind.attribute("method").unwrap_or_default();
            lines.push(format!("{} {method}", kind.subtype().unwrap()));
            let text = part.text_contents().unwrap_or_default();
            let text = text.replace("\r\n ", "");
            lines.extend(text.lines().map(|line| match line.len() {
                length if length > LONG => format!("{length} bytes"),
                _ => line.to_owned(),
            }));
        }
        lines.join("\n")
    }
}

fn point(name: &str) -> Point {
    use Point::{Auth, Content, Data, Ehlo, Greeting, Mail, Quit, Rcpt, Within};
    let points = [
        Greeting, Ehlo, Auth, Mail, Rcpt, Data, Within, Content, Quit,
    ];
    let mut points = points.into_iter();
    points.find(|point| format!("{point:?}") == name).unwrap()
}
