//! Worker files: what an agent is, read strictly, and its prompt.
