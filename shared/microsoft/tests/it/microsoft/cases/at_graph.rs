//! What the cases of `outlook.txt` change at Graph, or look at there.

use alfred_core::ports::Clock;
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::joined;
use std::time::Duration;

use super::Played;
use crate::outlook::{Fault, Refusal, text};

impl Played {
    /// Changes something at Graph, or looks at it.
    pub(super) fn at_graph(&self, call: &[&str]) -> String {
        let outlook = &self.outlook;
        match *call {
            ["arrive", number, "mails"] => {
                (0..number.parse().unwrap()).for_each(|at: usize| {
                    outlook.arrive(&format!("Mail {at}"));
                });
            }
            ["arrive", subject] => drop(outlook.arrive(subject)),
            ["edit", which, ref fields @ ..] => {
                let id = &self.some(which)[0];
                let fields = serde_json::from_str(&fields.join(" ")).unwrap();
                outlook.mailbox().change(id.as_str(), &fields).unwrap();
            }
            ["delete", which] => {
                let id = &self.some(which)[0];
                outlook.mailbox().messages.remove(id.as_str());
            }
            ["labels", which] => return self.labels(which),
            ["folder", name] => {
                let mailbox = outlook.mailbox();
                let ids = mailbox.in_folder(name);
                let subjects = ids.iter().map(|id| text(&mailbox.messages[id]["subject"]));
                return format!("{:?}", subjects.collect::<Vec<_>>());
            }
            ["delay"] => outlook.mailbox().sends_later = true,
            ["finish"] => {
                let mut mailbox = outlook.mailbox();
                mailbox.finish_sending();
                mailbox.sends_later = false;
            }
            ["put", ref fields @ ..] => {
                let event = serde_json::from_str(&fields.join(" ")).unwrap();
                outlook.mailbox().calendar.put(&event);
            }
            ["zone", ref name @ ..] => outlook.mailbox().calendar.zone = name.join(" "),
            ["without", "teams"] => outlook.mailbox().calendar.without_teams = true,
            ["relocate", name, place] => {
                let id = self.calendar.known(name).unwrap().to_string();
                outlook.mailbox().calendar.relocate(&id, place);
            }
            ["take", "out", name] => {
                let id = self.calendar.known(name).unwrap().to_string();
                outlook.mailbox().calendar.take_out(&id);
            }
            ["told"] => {
                let notices = std::mem::take(&mut outlook.mailbox().calendar.notices);
                return joined(notices, "\n");
            }
            ["fail", method, times, ref words @ ..] => {
                let times = times.parse().unwrap();
                outlook.graph().fail_next(method, times, fault(words));
            }
            ["wait", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                outlook.clock.advance(seconds);
            }
            ["time", "passed"] => {
                let began = ManualClock::default().now();
                return (outlook.clock.now() > began).to_string();
            }
            ["calls", method] => return outlook.graph().calls(method).to_string(),
            _ => panic!("no call {call:?}"),
        }
        String::new()
    }
}

fn fault(words: &[&str]) -> Fault {
    match *words {
        ["dropped"] => Fault::DropBefore,
        ["dropped", "after"] => Fault::DropAfter,
        [status, code, ref after @ ..] => {
            let after = after.first().map(|after| &*after.to_string().leak());
            let code = code.to_owned().leak();
            Fault::Error(Refusal(status.parse().unwrap(), code, after))
        }
        _ => panic!("no fault {words:?}"),
    }
}
