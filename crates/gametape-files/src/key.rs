//! Files with keys, public ones beside secret ones.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape_tape::{PublicKey, SigningKey, secret_key_text};

use crate::outcome::Failure;
use crate::source::Source;

/// No key file is longer.
const MOST_BYTES: u64 = 1024;

/// A public key on the command line: its digits, or a file that has them.
#[derive(Debug, Clone)]
pub struct PublicKeyArg(String);

impl From<String> for PublicKeyArg {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl PublicKeyArg {
    /// The key.
    pub fn read(&self) -> Result<PublicKey, Failure> {
        if let Some(key) = PublicKey::from_text(&self.0) {
            return Ok(key);
        }
        let path = Path::new(&self.0);
        let text = read_small(path)?;
        match PublicKey::from_text(&text) {
            Some(key) => Ok(key),
            None if SigningKey::is_text_of_one(&text) => {
                let problem = "is a secret key: tapes are verified with the public one";
                Err(Failure::usage(format_args!("{} {problem}", path.display())))
            }
            None => Err(no_key(path, "public")),
        }
    }
}

/// The secret key in a file.
pub fn read_secret(source: &Path) -> Result<SigningKey, Failure> {
    let text = read_small(source)?;
    SigningKey::from_text(&text).ok_or_else(|| no_key(source, "secret"))
}

fn no_key(path: &Path, kind: &str) -> Failure {
    Failure::usage(format_args!("{} has no {kind} key in it", path.display()))
}

fn read_small(path: &Path) -> Result<String, Failure> {
    let source = Source::File(path.to_owned());
    let about = fs::metadata(path).map_err(|error| Failure::io(&source, &error))?;
    if about.len() > MOST_BYTES {
        return Err(Failure::usage(format_args!("{source} is not a key: it is too long")));
    }
    source.read_text()
}

/// Writes a new key pair, the public one beside the secret one with `.pub` at its end. Files that
/// are there are never overwritten.
pub fn write_pair(path: &Path, seed: &[u8; 32]) -> Result<(PublicKey, PathBuf), Failure> {
    let key = SigningKey::from_seed(seed).public_key();
    let mut public_path = path.as_os_str().to_owned();
    public_path.push(".pub");
    let public_path = PathBuf::from(public_path);
    let mut public = create_new(&public_path, false)?;
    // Half a pair helps nobody: what was created is removed again.
    let remove_public = |failure| {
        let _ = fs::remove_file(&public_path);
        failure
    };
    let mut secret = create_new(path, true).map_err(remove_public)?;
    let written = put(&mut secret, path, &secret_key_text(seed))
        .and_then(|()| put(&mut public, &public_path, &key.to_text()));
    if let Err(failure) = written {
        let _ = fs::remove_file(path);
        return Err(remove_public(failure));
    }
    Ok((key, public_path))
}

fn put(file: &mut File, path: &Path, line: &str) -> Result<(), Failure> {
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| Failure::io(&path.display(), &error))
}

fn create_new(path: &Path, private: bool) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if private { 0o600 } else { 0o644 });
    }
    #[cfg(not(unix))]
    let _ = private;
    options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let problem = "is there already, and keys are never overwritten";
            Failure::usage(format_args!("{} {problem}", path.display()))
        }
        _ => Failure::io(&path.display(), &error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_written_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let made = |seed| write_pair(&path, &[seed; 32]).map_err(|_| "refused");
        let (key, public) = made(7).unwrap();
        assert_eq!(read_secret(&path).map(|secret| secret.public_key()).ok(), Some(key));
        let arg = PublicKeyArg(public.display().to_string());
        assert_eq!(arg.read().ok(), Some(key));
        assert!(made(8).is_err());
        fs::remove_file(&public).unwrap();
        assert!(made(8).is_err() && !public.exists(), "half a pair");
        assert_eq!(read_secret(&path).map(|secret| secret.public_key()).ok(), Some(key));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
