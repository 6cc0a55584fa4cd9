//! Runs one domain team's manager.
