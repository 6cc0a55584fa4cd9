//! Scripted model, fault-injecting ports, conformance suites.
