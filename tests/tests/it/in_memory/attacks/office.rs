use alfred_core::ports::{Account, Accounts, Mail, MailQuery, MailStatus, Mailbox, Sheets};
use alfred_testkit::{MemoryCalendar, MemoryDocuments, MemoryMail};
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
    pub documents: Arc<MemoryDocuments>,
    /// Where the attack uses sheets.
    pub sheets: Option<Arc<dyn Sheets>>,
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
        let documents = held.documents.iter().map(HeldDocument::document).collect();
        let documents = MemoryDocuments::new(clock.clone()).with(&account(), documents);
        let files: Vec<_> = held.sheets.iter().map(HeldSheet::file).collect();
        let owner = account();
        // A server for each attack would be slow.
        let uses_sheets = !files.is_empty() || attack.text.contains("\"sheets_");
        let sheets = OptionFuture::from(uses_sheets.then(|| google(files, &owner, clock))).await;
        let office = Self {
            mail: Arc::new(mail),
            calendar: Arc::new(calendar),
            documents: Arc::new(documents),
            sheets,
        };
        let none = Accounts::none();
        world.connect(Accounts {
            mail: office.mail.clone(),
            calendar: office.calendar.clone(),
            documents: office.documents.clone(),
            sheets: office.sheets.clone().unwrap_or(none.sheets),
            connect: none.connect,
        });
        Some(office)
    }
}

impl Office {
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
        self.mail
            .list(&account(), &query)
            .await
            .unwrap()
            .total
            .number()
    }
}

pub fn account() -> Account {
    Account {
        team: team(),
        user: OWNER.into(),
    }
}
