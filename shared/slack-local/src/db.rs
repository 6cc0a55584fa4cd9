//! Everything that survives a restart: one SQLite file, or memory.

mod files;

use rusqlite::{Connection, OptionalExtension, Params, Result, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;

use crate::seed::Seed;
use crate::types::{Channel, ChannelKind, Message, Person};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS message (
    channel TEXT NOT NULL, ts TEXT NOT NULL, root TEXT, body TEXT NOT NULL,
    PRIMARY KEY (channel, ts)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS message_root ON message (channel, root, ts);
CREATE TABLE IF NOT EXISTS doc (
    kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS content (file TEXT PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS share (
    channel TEXT NOT NULL, ts TEXT NOT NULL, file TEXT NOT NULL,
    PRIMARY KEY (channel, ts, file)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS share_file ON share (file, channel);
CREATE TABLE IF NOT EXISTS delivery (
    id INTEGER PRIMARY KEY, body TEXT NOT NULL, attempt INTEGER NOT NULL,
    due_ms INTEGER NOT NULL, reason TEXT NOT NULL);
";

pub(crate) const PERSON: &str = "person";
pub(crate) const CHANNEL: &str = "channel";
pub(crate) const VIEW: &str = "view";
/// A Home tab, by its person.
pub(crate) const HOME: &str = "home";
pub(crate) const STATUS: &str = "status";
pub(crate) const FILE: &str = "file";
/// Addresses that wait for a file's bytes.
pub(crate) const TICKET: &str = "ticket";

#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    pub oldest: Option<String>,
    pub latest: Option<String>,
    pub inclusive: bool,
    /// Continue behind this one.
    pub cursor: Option<String>,
    pub limit: usize,
}

pub(crate) struct Db(Connection);

impl Db {
    pub fn open(path: Option<&Path>, seed: &Seed) -> Result<Self> {
        let connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(SCHEMA)?;
        let mut db = Self(connection);
        db.write(|tx| {
            for person in &seed.people {
                tx.put_new(PERSON, &person.id, person)?;
            }
            for channel in &seed.channels {
                tx.put_new(CHANNEL, &channel.id, channel)?;
            }
            Ok(())
        })?;
        Ok(db)
    }

    /// Runs the writes as one transaction.
    pub fn write<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let tx = self.0.transaction()?;
        let result = work(&Tx(&tx))?;
        tx.commit()?;
        Ok(result)
    }

    pub fn read(&self) -> Tx<'_> {
        Tx(&self.0)
    }
}

/// An open transaction, or a connection to read from.
pub(crate) struct Tx<'a>(pub &'a Connection);

impl Tx<'_> {
    /// Runs one statement and returns the number of changed rows.
    fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.0.prepare_cached(sql)?.execute(params)
    }

    pub fn put<T: Serialize>(&self, kind: &str, id: &str, value: &T) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO doc (kind, id, body) VALUES (?1, ?2, ?3)";
        self.run(sql, params![kind, id, to_json(value)?]).map(drop)
    }

    fn put_new<T: Serialize>(&self, kind: &str, id: &str, value: &T) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO doc (kind, id, body) VALUES (?1, ?2, ?3)";
        self.run(sql, params![kind, id, to_json(value)?]).map(drop)
    }

    pub fn remove(&self, kind: &str, id: &str) -> Result<bool> {
        let removed = self.run("DELETE FROM doc WHERE kind = ?1 AND id = ?2", [kind, id]);
        Ok(removed? > 0)
    }

    pub fn get<T: DeserializeOwned>(&self, kind: &str, id: &str) -> Result<Option<T>> {
        self.0
            .prepare_cached("SELECT body FROM doc WHERE kind = ?1 AND id = ?2")?
            .query_row(params![kind, id], body)
            .optional()
    }

    pub fn all<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<T>> {
        self.0
            .prepare_cached("SELECT body FROM doc WHERE kind = ?1 ORDER BY id")?
            .query_map([kind], body)?
            .collect()
    }

    /// Ends the status that a thread, or the oldest request in the channel, still shows; a session's stays. Returns the
    /// thread.
    pub fn end_status(
        &self,
        channel: &str,
        root: Option<&str>,
        now_ms: i64,
    ) -> Result<Option<String>> {
        let sql = "DELETE FROM doc WHERE kind = ?1 AND id = (SELECT min(id) FROM doc
             WHERE kind = ?1 AND id LIKE ?2 || '/' || coalesce(?3, '%')
               AND body ->> 'until_ms' > ?4 AND body ->> 'is_session' IS NOT 1)
             RETURNING substr(id, length(?2) + 2)";
        let mut ended = self.0.prepare_cached(sql)?;
        let shown = params![STATUS, channel, root, now_ms];
        ended.query_row(shown, |row| row.get(0)).optional()
    }

    pub fn person(&self, id: &str) -> Result<Option<Person>> {
        self.get(PERSON, id)
    }

    pub fn channel(&self, id: &str) -> Result<Option<Channel>> {
        self.get(CHANNEL, id)
    }

    /// The direct message between the bot and this user, if it was opened.
    pub fn dm_of(&self, user: &str) -> Result<Option<Channel>> {
        let channels: Vec<Channel> = self.all(CHANNEL)?;
        let mut directs = channels.into_iter().filter(|it| it.kind == ChannelKind::Im);
        Ok(directs.find(|channel| channel.has(user)))
    }

    pub fn put_message(&self, message: &Message) -> Result<()> {
        let root = message.thread_ts.as_ref().filter(|_| message.is_reply());
        let row = params![message.channel, message.ts, root, to_json(message)?];
        let sql =
            "INSERT OR REPLACE INTO message (channel, ts, root, body) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, row)?;
        self.put_shares(message)
    }

    pub fn remove_message(&self, channel: &str, ts: &str) -> Result<()> {
        let sql = "DELETE FROM message WHERE channel = ?1 AND ts = ?2";
        self.run(sql, [channel, ts]).map(drop)
    }

    pub fn message(&self, channel: &str, ts: &str) -> Result<Option<Message>> {
        let sql = "SELECT body FROM message WHERE channel = ?1 AND ts = ?2";
        let mut query = self.0.prepare_cached(sql)?;
        let found = query.query_row(params![channel, ts], body).optional()?;
        found.map(|message| self.counted(message)).transpose()
    }

    fn counted(&self, mut message: Message) -> Result<Message> {
        let sql = "SELECT count(*), max(ts) FROM message WHERE channel = ?1 AND root = ?2";
        let mut query = self.0.prepare_cached(sql)?;
        let place = params![message.channel, message.ts];
        let (count, latest) = query.query_row(place, |row| Ok((row.get(0)?, row.get(1)?)))?;
        message.reply_count = count;
        message.latest_reply = latest;
        Ok(message)
    }

    /// The newest timestamp ever given out.
    pub fn last_ts(&self) -> Result<String> {
        let sql = "SELECT max(ts) FROM message";
        let last: Option<String> = self.0.query_row(sql, [], |row| row.get(0))?;
        Ok(last.unwrap_or_default())
    }

    pub fn history(&self, channel: &str, window: &Window) -> Result<Vec<Message>> {
        let sql = format!(
            "{WINDOW} AND root IS NULL AND ?7 IS NULL AND (?5 IS NULL OR ts < ?5)
             ORDER BY ts DESC LIMIT ?6"
        );
        let messages = self.window(&sql, channel, None, window)?;
        messages.into_iter().map(|m| self.counted(m)).collect()
    }

    /// Replies under a root, oldest first, without the root.
    pub fn replies(&self, channel: &str, root: &str, window: &Window) -> Result<Vec<Message>> {
        let sql =
            format!("{WINDOW} AND root = ?7 AND (?5 IS NULL OR ts > ?5) ORDER BY ts ASC LIMIT ?6");
        self.window(&sql, channel, Some(root), window)
    }

    fn window(
        &self,
        sql: &str,
        channel: &str,
        root: Option<&str>,
        window: &Window,
    ) -> Result<Vec<Message>> {
        let limit = i64::try_from(window.limit).unwrap_or(i64::MAX);
        let wanted = params![
            channel,
            window.oldest,
            window.latest,
            window.inclusive,
            window.cursor,
            limit,
            root
        ];
        self.0
            .prepare_cached(sql)?
            .query_map(wanted, body)?
            .collect()
    }

    pub fn enqueue(&self, body: &str, due_ms: i64) -> Result<()> {
        let sql = "INSERT INTO delivery (body, attempt, due_ms, reason) VALUES (?1, 0, ?2, '')";
        self.run(sql, params![body, due_ms]).map(drop)
    }

    /// Events that are still to be delivered, the earliest due first.
    pub fn deliveries(&self) -> Result<Vec<Delivery>> {
        let sql = "SELECT id, body, attempt, due_ms, reason FROM delivery ORDER BY due_ms, id";
        let mut query = self.0.prepare_cached(sql)?;
        query.query_map([], delivery)?.collect()
    }

    pub fn delivered(&self, id: i64) -> Result<()> {
        let sql = "DELETE FROM delivery WHERE id = ?1";
        self.run(sql, [id]).map(drop)
    }

    pub fn retry(&self, id: i64, attempt: u32, due_ms: i64, reason: &str) -> Result<()> {
        let sql = "UPDATE delivery SET attempt = ?2, due_ms = ?3, reason = ?4 WHERE id = ?1";
        self.run(sql, params![id, attempt, due_ms, reason])
            .map(drop)
    }

    pub fn due_at_once(&self, now_ms: i64) -> Result<()> {
        let sql = "UPDATE delivery SET due_ms = ?1 WHERE due_ms > ?1";
        self.run(sql, [now_ms]).map(drop)
    }
}

const WINDOW: &str = "SELECT body FROM message WHERE channel = ?1
     AND (?2 IS NULL OR ts > ?2 OR (?4 AND ts = ?2))
     AND (?3 IS NULL OR ts < ?3 OR (?4 AND ts = ?3))";

/// An event on its way to the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivery {
    pub id: i64,
    pub body: String,
    /// 0 for the first try.
    pub attempt: u32,
    /// Not before this time, milliseconds since 1970.
    pub due_ms: i64,
    /// Why the last try failed, as in `X-Slack-Retry-Reason`.
    pub reason: String,
}

fn delivery(row: &Row<'_>) -> Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        body: row.get(1)?,
        attempt: row.get(2)?,
        due_ms: row.get(3)?,
        reason: row.get(4)?,
    })
}

fn body<T: DeserializeOwned>(row: &Row<'_>) -> Result<T> {
    let text: String = row.get(0)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
    })
}

fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}
