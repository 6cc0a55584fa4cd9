//! Every tool, one file each, and the catalogue.
