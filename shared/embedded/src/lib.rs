//! The ports on one machine: SQLite, files.
