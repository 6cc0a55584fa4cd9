//! What people do to a calendar elsewhere.

use serde_json::Value;
use std::collections::BTreeMap;

use super::Calendar;
use super::event::Stored;
use super::series::Pattern;

impl Calendar {
    /// Puts an event where others made it, or its owner: as Graph tells of one. Gives its immutable id.
    ///
    /// # Errors
    /// As Graph would say it.
    pub fn put(&mut self, event: &Value) -> Result<String, Value> {
        let mut item = self.item_of(event).map_err(|error| error.body())?;
        if let Some(said) = event["responseStatus"]["response"].as_str() {
            item.response = said.to_owned();
        }
        let pattern = Pattern::read(&event["recurrence"], &item.when);
        let pattern = pattern.map_err(|error| error.body())?;
        let organizer = match &event["organizer"] {
            Value::Null => self.me(),
            organizer => organizer.clone(),
        };
        let number = self.add(Stored {
            organizer,
            item,
            pattern,
            dates: BTreeMap::new(),
        });
        Ok(Self::told((number, None), true))
    }

    /// Its owner gives an event, or a date of a series, another location elsewhere.
    pub fn relocate(&mut self, id: &str, location: &str) {
        if let Ok(place) = self.find(id) {
            let edited = self.edit(place, |item| item.location = location.to_owned());
            debug_assert!(edited.is_ok(), "{id}");
        }
    }

    /// Its owner takes an event or a date out elsewhere.
    pub fn take_out(&mut self, id: &str) {
        if let Ok(place) = self.find(id) {
            self.remove(place);
        }
    }
}
