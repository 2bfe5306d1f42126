//! Addresses of recordings, and the clients that reach them.

use std::env;
use std::sync::Arc;

use gametape_wire::{Error, Result};
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use url::Url;

/// How addresses begin that are read here.
const SCHEMES: [&str; 4] = ["s3://", "https://", "http://", "file://"];

/// Each of these gives credentials.
const CREDENTIALS: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/// Is it an address that [`Remote`](crate::Remote) reads, and no path?
#[must_use]
pub fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Where something is: who has it, and what it is called there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) objects: Arc<dyn ObjectStore>,
    pub(crate) path: Path,
}

/// The object at an address.
pub(crate) fn place_of(address: &str, retries: &RetryConfig) -> Result<Place> {
    let not_valid = |why: &dyn std::fmt::Display| {
        Error::misuse("address", format!("{address} is not valid: {why}"))
    };
    if let Some(rest) = address.strip_prefix("s3://") {
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let path = Path::parse(key).map_err(|why| not_valid(&why))?;
        let objects = bucket_called(bucket, retries).map_err(|why| not_valid(&why))?;
        return Ok(Place { objects, path });
    }
    let url = Url::parse(address).map_err(|why| not_valid(&why))?;
    match url.scheme() {
        "file" => {
            let file = url.to_file_path().map_err(|()| not_valid(&"it is no path"))?;
            let path = Path::from_absolute_path(file).map_err(|why| not_valid(&why))?;
            Ok(Place { objects: Arc::new(LocalFileSystem::new()), path })
        }
        "http" | "https" => {
            let http = HttpBuilder::new()
                .with_url(url.clone())
                .with_client_options(client(url.scheme() == "http"))
                .with_retry(retries.clone());
            // The whole address is the server's: a query may be a signature.
            let objects = Arc::new(http.build().map_err(|why| not_valid(&why))?);
            Ok(Place { objects, path: Path::default() })
        }
        _ => Err(not_valid(&"it begins with none of s3://, https://, http://, file://")),
    }
}

/// A bucket, with the credentials of the environment; without any, as everybody may read it.
fn bucket_called(name: &str, retries: &RetryConfig) -> object_store::Result<Arc<dyn ObjectStore>> {
    let endpoints = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
    let is_plain = endpoints
        .iter()
        .any(|name| env::var(name).is_ok_and(|endpoint| endpoint.starts_with("http://")));
    let is_signed = CREDENTIALS.iter().any(|name| env::var_os(name).is_some());
    let builder = AmazonS3Builder::from_env()
        .with_bucket_name(name)
        .with_client_options(client(is_plain))
        .with_retry(retries.clone())
        .with_skip_signature(!is_signed);
    Ok(Arc::new(builder.build()?))
}

/// How requests are made. Whoever asks decides how long it waits.
fn client(allow_http: bool) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(allow_http)
        .with_timeout_disabled()
        .with_connect_timeout(std::time::Duration::from_secs(10))
        .with_http1_only()
}
