//! The keys of all items. Every partition starts with the team, usually followed by the user; parts
//! are joined by `#`. Partitions that belong to no workspace start with `*`.
//!
//! | partition | range | what |
//! |---|---|---|
//! | `TEAM#claim#TRACE` | `claim` | which run serves an event |
//! | `TEAM#users` | `USER` | people |
//! | `TEAM#run#RUN` | `run`, `step#000001`…, `program` | a run, its journal, and its program's files |
//! | `TEAM#USER#runs#2026-11` | `RUN` | a person's runs by month |
//! | `TEAM#USER#sessions` | `CHANNEL[/THREAD]` | conversations: memory, active and waiting runs |
//! | `TEAM#USER#sessions-set-aside` | `CHANNEL[/THREAD]` | the last corrupt row of a conversation |
//! | `TEAM#USER#day#2026-11-21` | `day` | the blocks of one day |
//! | `TEAM#USER#block-dates` | `BLOCK` | the day of a block |
//! | `TEAM#USER#tasks` | `TASK` | tasks |
//! | `TEAM#USER#files` | `/PATH` in lower case | metadata of a stored file |
//! | `TEAM#USER#file-bodies` | `/PATH` in lower case | the content of a stored file |
//! | `TEAM#USER#mail-before` | `RUN:CALL` | earlier states of moved mails, for undo, for 30 days |
//! | `TEAM#USER#accounts` | `PROVIDER`, `PROVIDER.secret` | a connected account, and its encrypted credential if stored here |
//! | `TEAM#USER#drive` | `made#DIGEST` | documents and sheets being made at Google; for 30 days |
//! | `TEAM#USER#gmail` | `sent#DIGEST` | mails being sent from any account; for 30 days |
//! | `TEAM#USER#connecting` | `NONCE` | a link to connect an account, for a day; `sign-ins` counts password attempts |
//! | `TEAM#approval#APPROVAL` | `approval` | an approval, open or decided |
//! | `TEAM#USER#approvals` | `APPROVAL` | a person's open approvals |
//! | `TEAM#USER#workflows#2026-11` | `TIME#RUN` | executed workflows, by month |
//! | `TEAM#USER#feedback#2026-11` | `TIME#CALL` | the person's feedback on Alfred, by month |
//! | `TEAM#USER#task-events#2026-11` | `TIME#CALL` | tasks done, reopened or postponed, by month |
//! | `TEAM#USER#asked` | `REQUEST` | requests from the terminal of one machine, for a day |
//! | `TEAM#USER#jobs` | `SCHEDULE` | reminders and scheduled jobs |
//! | `TEAM#USER#home` | `picture` | the uploaded picture on the person's Home tab |
//! | `TEAM#USER#remembered` | `SESSION#DIGEST` | remembered approvals, for 12 hours |
//! | `TEAM#USER#trusted` | `DIGEST` | programs from folders that the person trusts |
//! | `TEAM#switch` | `effects` | whether an administrator has paused all effects |
//! | `TEAM#users` | `USER#spend` | what a person used today |
//! | `TEAM#users` | `USER#scheduled` | what their scheduled runs used today |
//! | `TEAM#users` | `USER#proposal#APPROVAL` | their open approvals, read together with the person |
//! | `TEAM#audit#RUN` (audit) | `000001`… | a run's audit entries, chained |
//! | `TEAM#audit-heads#2026-11-21#07` (audit) | `RUN#000001` | heads of chains by day, 16 shards |
//! | `TEAM#audit-digests` (audit) | `2026-11-21` | the SHA-256 of a day's locked digest |
//! | `*#audit-digests` | `last` | the last day with a locked digest |
//! | `*#due#2026-11-21T14#07` | `TIME#ID` | timers by hour, 16 shards |
//! | `*#timers-set-aside` | `TIME#ID` | timers that can't be served, and the error |

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

mod accounts;
mod approvals;
mod audit;
mod people;
mod planning;
mod runs;
mod timers;

pub use accounts::*;
pub use approvals::*;
pub use audit::*;
pub use people::*;
pub use planning::*;
pub use runs::*;
pub use timers::*;

/// The kinds of which a person has one partition. What isn't here isn't deleted with the person.
const KINDS: &str = "accounts approvals asked attached block-dates calendar connecting drive \
    file-bodies files focus gmail home jobs mail-before remembered sessions sessions-set-aside smtp tasks trusted";
/// The kinds of which a person has one partition a month.
const MONTHLY: [&str; 4] = ["feedback", "runs", "task-events", "workflows"];

/// The partitions that a person may have, if they were active on these days and have blocks on no others. Those of their
/// runs, claims and approvals have keys of their own.
pub fn of_person(account: &crate::ports::Account, days: &BTreeSet<Date>) -> BTreeSet<String> {
    let own = |kind: &str| format!("{}#{}#{kind}", account.team, account.user);
    let mut all: BTreeSet<String> = KINDS.split(' ').map(own).collect();
    for day in days {
        all.insert(own(&format!("day#{day}")));
        all.extend(MONTHLY.map(|kind| own(&format!("{kind}#{}", day.strftime("%Y-%m")))));
    }
    all
}

fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

/// The blob prefix `TEAM/USER` of a partition.
pub fn blob_scope(partition: &str) -> String {
    let mut parts = partition.split('#');
    let team = parts.next().unwrap_or("*");
    let user = parts.next().unwrap_or("*");
    format!("{team}/{user}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{SessionId, TeamId, UserId};

    #[test]
    fn keys_read_as_documented() {
        let (t, u): (TeamId, UserId) = ("T1".into(), "U1".into());
        let at: Timestamp = "2026-11-21T14:05:09Z".parse().unwrap();
        let session_id = SessionId("T1/U1/C1/17.5".into());
        assert_eq!(session(&t, &u, &session_id).range, "C1/17.5");
        assert_eq!(
            user_run(&t, &u, at, &"run_1".into()).partition,
            "T1#U1#runs#2026-11"
        );
        assert_eq!(step(&t, &"run_1".into(), 7).range, "step#000007");
        let late = "2026-11-21T14:59:59.001Z".parse().unwrap();
        for (at, hour, range) in [
            (at, "14", "2026-11-21T14:05:09#run_1"),
            (late, "15", "2026-11-21T15:00:00#run_1"),
        ] {
            let timer = due(at, "run_1");
            assert_eq!(timer.range, range);
            let hour = format!("*#due#2026-11-21T{hour}#");
            assert!(timer.partition.starts_with(&hour), "{timer:?}");
        }
        assert_eq!(blob_scope("T1#U1#tasks"), "T1/U1");
    }
}
