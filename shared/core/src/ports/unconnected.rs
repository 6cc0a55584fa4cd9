//! Where nobody has connected anything.

use async_trait::async_trait;

use super::AccountService::{Calendar as CALENDAR, Mail as MAIL};
use super::{
    Account, AccountError, Availability, Calendar, Event, EventPage, Mail, MailMessage, MailPage,
    MailQuery, MailStatus, Mailbox, NewEvent, Notice, OutgoingMail, SentMail, Span,
};
use crate::id::{EventId, MailId};

/// Accounts that nobody has connected: every call says so.
#[derive(Clone, Copy, Debug)]
pub struct Unconnected;

#[async_trait]
impl Mail for Unconnected {
    async fn address(&self, _: &Account) -> Result<Mailbox, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }

    async fn list(&self, _: &Account, _: &MailQuery) -> Result<MailPage, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }

    async fn read(&self, _: &Account, _: &MailId) -> Result<Option<MailMessage>, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }

    async fn set_status(
        &self,
        _: &Account,
        _: &MailId,
        _: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }

    async fn send(&self, _: &Account, _: &OutgoingMail, _: &str) -> Result<SentMail, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }

    async fn find_sent(&self, _: &Account, _: &str) -> Result<Option<SentMail>, AccountError> {
        Err(AccountError::NotConnected(MAIL))
    }
}

#[async_trait]
impl Calendar for Unconnected {
    async fn events(&self, _: &Account, _: Span) -> Result<EventPage, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn event(&self, _: &Account, _: &EventId) -> Result<Option<Event>, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn availability(
        &self,
        _: &Account,
        _: &[String],
        _: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn create(&self, _: &Account, _: &NewEvent, _: &str) -> Result<Event, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn find_created(&self, _: &Account, _: &str) -> Result<Option<Event>, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn reschedule(
        &self,
        _: &Account,
        _: &EventId,
        _: Span,
        _: Option<&Notice>,
        _: &str,
    ) -> Result<Event, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn find_moved(
        &self,
        _: &Account,
        _: &EventId,
        _: Span,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }

    async fn cancel(&self, _: &Account, _: &EventId, _: bool) -> Result<bool, AccountError> {
        Err(AccountError::NotConnected(CALENDAR))
    }
}
