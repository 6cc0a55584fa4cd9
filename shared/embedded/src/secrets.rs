use alfred_core::ports::{SecretError, Secrets};
use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::durable;

/// Secrets in a JSON file of mode 0600, an object of names and values. Each call reads the file, so manual
/// edits apply at once. Values are not encrypted: the file's mode and disk encryption protect them.
#[derive(Clone, Debug)]
pub struct FileSecrets(Arc<Place>);

#[derive(Debug)]
struct Place {
    path: PathBuf,
    /// Serializes changes; the data folder's lock excludes other processes.
    changing: Mutex<()>,
}

impl FileSecrets {
    /// The file is created with the first secret.
    pub fn new(path: PathBuf) -> Self {
        let changing = Mutex::new(());
        Self(Arc::new(Place { path, changing }))
    }

    /// Removes all secrets whose names start with `prefix`, and returns their number.
    pub async fn forget(&self, prefix: &str) -> Result<usize, SecretError> {
        let prefix = prefix.to_owned();
        self.change(move |secrets| {
            let before = secrets.len();
            secrets.retain(|name, _| !name.starts_with(&prefix));
            before - secrets.len()
        })
        .await
    }

    async fn change<T: Send + 'static>(
        &self,
        apply: impl FnOnce(&mut BTreeMap<String, String>) -> T + Send + 'static,
    ) -> Result<T, SecretError> {
        self.blocking(move |place| place.change(apply)).await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Place) -> Result<T, SecretError> + Send + 'static,
    ) -> Result<T, SecretError> {
        let place = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&place)).await;
        let done = done.map_err(|error| error.to_string());
        done.map_err(|detail| SecretError::Unavailable { detail })?
    }
}

impl Place {
    fn read(&self) -> Result<BTreeMap<String, String>, SecretError> {
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(self.fault(&error)),
            Ok(found) => check_mode(&self.path, &found)?,
        }
        let text = fs::read(&self.path).map_err(|error| self.fault(&error))?;
        // Omits the parser's message, which could quote a value.
        serde_json::from_slice(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            self.fault(&format!(
                "no JSON object of texts at line {line}, column {column}; repair it or move it away"
            ))
        })
    }

    /// Writes the file only if something changed.
    fn change<T>(
        &self,
        apply: impl FnOnce(&mut BTreeMap<String, String>) -> T,
    ) -> Result<T, SecretError> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.read()?;
        let mut secrets = before.clone();
        let changed = apply(&mut secrets);
        if secrets != before {
            let text = serde_json::to_vec_pretty(&secrets).map_err(|error| self.fault(&error))?;
            if let Some(folder) = self.path.parent() {
                durable::create_folder(folder).map_err(|error| self.fault(&error))?;
            }
            durable::replace(&self.path, &text).map_err(|error| self.fault(&error))?;
        }
        Ok(changed)
    }

    fn fault(&self, reason: &dyn std::fmt::Display) -> SecretError {
        let detail = format!("{}: {reason}", self.path.display());
        SecretError::Unavailable { detail }
    }
}

fn check_mode(path: &Path, found: &fs::Metadata) -> Result<(), SecretError> {
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(SecretError::Unavailable {
        detail: format!("{path} has mode {mode:o}: others can read it. Run: chmod 600 {path}"),
    })
}

#[async_trait]
impl Secrets for FileSecrets {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        SecretError::check_name(name)?;
        let name = name.to_owned();
        self.blocking(move |place| Ok(place.read()?.remove(&name).map(SecretString::from)))
            .await
    }

    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError> {
        SecretError::check_name(name)?;
        let (name, value) = (name.to_owned(), value.clone());
        self.change(move |secrets| drop(secrets.insert(name, value.expose_secret().to_owned())))
            .await
    }

    async fn delete(&self, name: &str) -> Result<(), SecretError> {
        SecretError::check_name(name)?;
        let name = name.to_owned();
        self.change(move |secrets| drop(secrets.remove(&name)))
            .await
    }
}
