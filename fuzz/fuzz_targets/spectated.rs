#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_properties::cadre::spectated(data));
