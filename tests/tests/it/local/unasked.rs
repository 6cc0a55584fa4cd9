//! A reminder, a morning brief and a focus guard on the page, which become due while the process is down.

use alfred_core::ports::{Clock, Commit, Spilling, SystemClock, SystemIds};
use alfred_embedded::{DataFolder, SqliteStore};
use alfred_schedule::{Occurrence, row};
use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::{Chromium, Tab};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::local::cli::Cli;
use crate::local::process::Serving;
use crate::local::scene::TEAM;

async fn make_due(data: &Path) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let folder = DataFolder::open(data).unwrap();
    let sqlite = SqliteStore::new(folder.database().unwrap(), clock.clone());
    let store = Spilling::new(sqlite.clone(), sqlite.blobs());
    let (team, ana) = (TEAM.into(), ANA.into());
    for stored in row::list(&store, &team, &ana).await.unwrap() {
        let mut job = stored.job.clone();
        let (at, zone) = (clock.now(), job.time_zone().unwrap());
        let local = at.to_zoned(zone).datetime();
        job.next = Some(Occurrence { local, at });
        let commit = Commit::new(&SystemIds, job.instead_of(Some(&stored), at).unwrap());
        let committed = alfred_core::ports::Store::commit(&store, &commit).await;
        committed.unwrap();
    }
}

/// An invitation to half an hour of the block of this day.
fn lands(data: &Path, day: Date) {
    let day = day.strftime("%Y%m%d");
    let path = data.join("workspace/ana/calendar.ics");
    let calendar = fs::read_to_string(&path).unwrap();
    let event = format!(
        "BEGIN:VEVENT\r\nUID:landed@example.com\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;TZID=Europe/Lisbon:{day}T071500\r\nDTEND;TZID=Europe/Lisbon:{day}T074500\r\nSUMMARY:*Vendor* call <https://evil.example|click>\r\nEND:VEVENT\r\nEND:VCALENDAR"
    );
    fs::write(&path, calendar.replace("END:VCALENDAR", &event)).unwrap();
}

fn opened(browser: &Arc<Chromium>, serving: &Serving) -> Tab {
    let tab = browser.open(&serving.link);
    tab.resize(1_280, 860);
    tab
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_a_brief_and_a_meeting_on_a_focus_block_come_by_themselves() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let browser = Chromium::start();
    let page = opened(&browser, &serving);
    page.until("!document.getElementById('prompts').hidden");
    page.writes("remind me in 20 minutes to call Ben");
    page.shows("I'll remind you");
    page.writes("send me a morning brief");
    page.shows("Morning brief is scheduled");
    // Tomorrow, or today if midnight passes meanwhile.
    let zone = TimeZone::get("Europe/Lisbon").unwrap();
    let day = SystemClock.now().to_zoned(zone).date() + 1.day();
    let block = json!({
        "date": day, "type": "work", "title": "Deep work", "startTime": "07:00", "endTime": "08:00",
    });
    page.writes(&format!("/alfred run schedule_createTimeBlock {block}"));
    page.shows("Created work block");
    page.writes("tell me when a meeting lands on my focus block");
    page.shows("Focus guard is scheduled, every 15 minutes");
    page.pictured("unasked-set");
    drop(page);
    serving.kill().await;

    make_due(cli.data()).await;
    lands(cli.data(), day);
    let serving = cli.serve().await;
    let page = opened(&browser, &serving);
    page.shows("⏰ Call Ben");
    page.shows("Scheduled: Morning brief");
    page.shows("The newest 20 of 22 e-mails");
    page.shows("A meeting landed on your focus block");
    page.pictured("unasked-came");
    page.clicks("Move it");
    page.shows("Scheduled: Focus guard");
    page.pictured("unasked-moved");
    page.clicks("Undo");
    page.shows(&day.strftime("to %a %-d %b 07:00–08:00").to_string());
    page.pictured("unasked-undone");
}
