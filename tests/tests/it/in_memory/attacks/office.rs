use alfred_core::ports::{Account, Mail, MailQuery, MailStatus, Mailbox};
use alfred_google::Google;
use alfred_testkit::{MemoryCalendar, MemoryMail};
use futures_util::future::OptionFuture;
use jiff::tz::TimeZone;
use std::sync::Arc;

use super::file::Attack;
use super::held::HeldEvent;
use super::names::tokens;
use super::papers::{HeldDocument, HeldSheet};
use super::scene::OWNER;
use crate::in_memory::documents::google;
use crate::in_memory::world::{World, team};

#[derive(Clone)]
pub struct Office {
    pub mail: Arc<MemoryMail>,
    pub calendar: Arc<MemoryCalendar>,
    /// Where the attack uses documents or sheets.
    pub google: Option<Arc<Google>>,
}

impl Office {
    pub async fn open(attack: &Attack, world: &mut World) -> Option<Self> {
        let held = attack.holds.as_ref()?;
        let own = Mailbox::new("Ana", "ana@demo.example");
        let events = held.events.iter().map(HeldEvent::event).collect();
        let mail =
            MemoryMail::new(world.ports.clock.clone()).with(&account(), own.clone(), held.mails());
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let mut calendar = MemoryCalendar::default().with(&account(), own, zone, events);
        for id in tokens(&attack.text, "U0") {
            let address = format!("{}@demo.example", id[2..].to_lowercase());
            calendar = calendar.with_colleague(&account(), &address, Vec::new());
        }
        let clock = world.ports.clock.clone();
        let documents = held.documents.iter().map(HeldDocument::file);
        let sheets = held.sheets.iter().map(HeldSheet::file);
        let files: Vec<_> = documents.chain(sheets).collect();
        let owner = account();
        // A server for each attack would be slow.
        let calls = |tool: &str| attack.text.contains(tool);
        let is_used = !files.is_empty() || calls("\"docs_") || calls("\"sheets_");
        let google = OptionFuture::from(is_used.then(|| google(files, &owner, clock))).await;
        let office = Self {
            mail: Arc::new(mail),
            calendar: Arc::new(calendar),
            google,
        };
        world.change_ports(|ports| {
            ports.accounts.mail = office.mail.clone();
            ports.accounts.calendar = office.calendar.clone();
            if let Some(google) = &office.google {
                ports.accounts.documents = google.clone();
                ports.accounts.sheets = google.clone();
            }
        });
        Some(office)
    }

    pub async fn is_archived(&self, id: &str) -> bool {
        let found = self.mail.read(&account(), &id.into()).await.unwrap();
        found.unwrap().summary.status == MailStatus::Archived
    }

    pub async fn archived(&self) -> usize {
        let query = MailQuery {
            status: vec![MailStatus::Archived],
            limit: MailQuery::MOST,
            ..MailQuery::default()
        };
        let page = self.mail.list(&account(), &query).await.unwrap();
        page.total.number()
    }
}

pub fn account() -> Account {
    Account::of(&team(), &OWNER.into())
}
