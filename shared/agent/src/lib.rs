//! The durable run: loop, tools, journal, response router.
