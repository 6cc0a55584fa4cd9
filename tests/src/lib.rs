//! Whole-flow scenarios through the front door.
