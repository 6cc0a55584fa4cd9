#![doc = include_str!("../README.md")]

#[cfg(feature = "aws")]
pub mod aws;
pub mod dead_letters;
pub mod doctor;
pub mod forget;
pub mod manifest;
pub mod one_machine;
#[cfg(feature = "aws")]
pub mod sqs;
pub mod trace;
