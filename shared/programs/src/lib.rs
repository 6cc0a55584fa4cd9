//! The programs of Alfred: worker files, embedded at build.
