//! An RSA key pair, made anew in each test process: none lies in the repository.

use crate::wait::{self, LIMIT};
use serde_json::Value;
use std::process::Command;
use std::sync::OnceLock;

const MAKE: &str = "const {privateKey, publicKey} = require('crypto').generateKeyPairSync('rsa', {modulusLength: 2048});\
    console.log(JSON.stringify([privateKey.export({type: 'pkcs8', format: 'pem'}),\
    publicKey.export({type: 'pkcs1', format: 'der'}).toString('hex')]))";

/// A private key as PKCS#8 in PEM, and its public key as PKCS#1 in DER.
pub fn key_pair() -> &'static (String, Vec<u8>) {
    static PAIR: OnceLock<(String, Vec<u8>)> = OnceLock::new();
    PAIR.get_or_init(|| {
        let made = wait::output(LIMIT, Command::new("node").args(["-e", MAKE]));
        assert!(made.status.success(), "{made:?}");
        let pair: Vec<Value> = serde_json::from_slice(&made.stdout).unwrap();
        let text = |at: usize| pair[at].as_str().unwrap().to_owned();
        (text(0), hex::decode(text(1)).unwrap())
    })
}
