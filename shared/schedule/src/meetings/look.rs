use alfred_agent::Work;
use alfred_agent::runner::admit::Request;
use alfred_agent::slack::respond::head;
use alfred_core::ports::{Account, AccountError};
use alfred_core::{Result, User, text};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio::time::timeout;

use crate::ended::{ERROR_CHARS, MOST_FAILURES};
use crate::fire::Firing;
use crate::meetings::told::Told;
use crate::meetings::{AWAY, MOST, Meetings, Seen, in_a, mails, others, remembered, start};
use crate::{Job, JobState, Occurrence, Why};

/// The sweep serves other timers after this one.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The third such failure pauses the job.
const UNCONNECTED: SignedDuration = SignedDuration::from_mins(15);
/// Tool names for these sources in the run's taint.
const CALENDAR: &str = "calendar_viewMeetings";
const MAIL: &str = "email_viewEmails";

impl Firing<'_> {
    pub(crate) async fn tell_of_meetings(
        &self,
        meetings: &Meetings,
        user: &User,
        zone: &TimeZone,
        request: Request,
    ) -> Result<()> {
        let job = &self.stored.job;
        let account = Account::of(&job.team, &job.user);
        let window = meetings.window(self.now);
        let events = self.ports.accounts.calendar.events(&account, window);
        let why = match timeout(TIMEOUT, events).await {
            Ok(Ok(page)) => {
                let seen = meetings.seen(&page.events, user, &job.told, self.now);
                return self.tell(seen, user, zone, request).await;
            }
            Ok(Err(AccountError::NotConnected(service))) => text::account_not_connected(service),
            Ok(Err(AccountError::Expired(service))) => text::account_expired(service),
            Ok(Err(AccountError::NotGranted(service))) => text::account_not_granted(service),
            Ok(Err(AccountError::Refused { reason })) => reason,
            away @ (Err(_)
            | Ok(Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }))) => {
                tracing::warn!(job.id = %job.id, ?away, "a calendar wasn't reached before meetings");
                let next = self.looking_at(in_a(AWAY, self.now), zone);
                return self.commit(next).await;
            }
        };
        self.unread(&why, zone, request).await
    }

    async fn tell(
        &self,
        seen: Seen<'_>,
        user: &User,
        zone: &TimeZone,
        mut request: Request,
    ) -> Result<()> {
        let job = &self.stored.job;
        let next = Job {
            told: remembered(&job.told, &seen.due, self.now),
            failures: 0,
            last_error: None,
            ..self.looking_at(seen.next, zone)
        };
        if seen.due.is_empty() {
            return self.commit(next).await;
        }
        let account = Account::of(&job.team, &job.user);
        let mut told = Told::default();
        let own = TimeZone::get(&user.timezone).unwrap_or_else(|_| zone.clone());
        let now = self.now.to_zoned(own);
        for event in seen.due.iter().take(MOST) {
            let people = others(event, user);
            let mails = mails::with(self.ports, &account, &people).await;
            if mails.as_ref().is_some_and(|mails| !mails.is_empty()) {
                request.taint.private.insert(MAIL.into());
                request.taint.untrusted.insert(MAIL.into());
            }
            told.add(event, &people, mails.as_deref(), &now);
        }
        told.more(seen.due.len().saturating_sub(MOST));
        request.taint.private.insert(CALENDAR.into());
        request.taint.untrusted.insert(CALENDAR.into());
        request.work = Work::Say {
            text: told.text,
            until: seen.due.iter().filter_map(|event| start(event)).max(),
            links: told.links,
        };
        let once = format!("job:{}:{}:{}", job.id, job.runs, self.now);
        self.run(next, request, &once).await
    }

    fn looking_at(&self, at: Timestamp, zone: &TimeZone) -> Job {
        let local = at.to_zoned(zone.clone()).datetime();
        Job {
            next: Some(Occurrence { local, at }),
            ..self.stored.job.clone()
        }
    }

    /// The calendar can't be read until the owner acts. Tells them once.
    async fn unread(&self, why: &str, zone: &TimeZone, request: Request) -> Result<()> {
        let job = &self.stored.job;
        let failing = Job {
            failures: job.failures.saturating_add(1),
            last_error: Some(head(why, ERROR_CHARS)),
            ..self.looking_at(in_a(UNCONNECTED, self.now), zone)
        };
        if failing.failures >= MOST_FAILURES {
            let why = Why::Failing;
            return self.commit(failing.resting(JobState::Paused { why })).await;
        }
        if failing.failures > 1 {
            return self.commit(failing).await;
        }
        let words = format!(
            "I can't remind you of your meetings just now. {why} I'll look again in half an hour; if that fails too, I pause these reminders until you tell me to go on."
        );
        let once = format!("meetings-unread:{}:{}", job.id, self.now);
        self.run(failing, self.notice(request, words), &once).await
    }
}
