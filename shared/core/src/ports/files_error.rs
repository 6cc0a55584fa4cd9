use thiserror::Error;

use super::StoreError;

/// Maximum size of a file in bytes, for reading and writing.
pub const MOST_FILE_BYTES: usize = 200_000;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilesError {
    #[error("{path}: there is no such file or folder")]
    NotFound { path: String },
    /// The path is malformed, or isn't a plain file or folder.
    #[error("{path}: {why}")]
    InvalidPath { path: String, why: &'static str },
    #[error("{path}: can only be read here")]
    ReadOnly { path: String },
    /// A called worker would get more rights than its caller.
    #[error("readonly: false, where only reading is allowed")]
    PermissionEscalation,
    /// A limit would be exceeded.
    #[error("{path}: {why}")]
    TooLarge { path: String, why: String },
    /// It isn't UTF-8 text.
    #[error("{path}: is no text (UTF-8)")]
    NotText { path: String },
    /// No folders are available here.
    #[error("this program works in a folder of the machine it was started on, and that isn't here")]
    NoFolder,
    /// A temporary failure.
    #[error("files unavailable: {detail}")]
    Unavailable { detail: String },
}

impl FilesError {
    /// The error code for worker programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "NOT_FOUND",
            Self::InvalidPath { .. } => "INVALID_PATH",
            Self::ReadOnly { .. } => "READ_ONLY",
            Self::PermissionEscalation => "PERMISSION_ESCALATION",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::NotText { .. } => "NOT_TEXT",
            Self::NoFolder => "NO_FOLDER",
            Self::Unavailable { .. } => "UNAVAILABLE",
        }
    }

    pub fn not_found(path: impl ToString) -> Self {
        let path = path.to_string();
        Self::NotFound { path }
    }

    pub fn invalid(path: impl ToString, why: &'static str) -> Self {
        let path = path.to_string();
        Self::InvalidPath { path, why }
    }

    /// A limit of `most` bytes, files or entries.
    pub fn too_large(path: impl ToString, most: usize, of: &str) -> Self {
        let (path, why) = (path.to_string(), format!("more than {most} {of}"));
        Self::TooLarge { path, why }
    }

    /// Longer than `MOST_FILE_BYTES`.
    pub fn too_long(path: impl ToString) -> Self {
        Self::too_large(path, MOST_FILE_BYTES, "bytes")
    }
}

impl From<StoreError> for FilesError {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        Self::Unavailable { detail }
    }
}
