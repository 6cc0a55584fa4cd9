//! A new or removed worker file rebuilds the crate.
fn main() {
    println!("cargo:rerun-if-changed=programs");
}
