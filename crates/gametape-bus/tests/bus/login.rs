//! Buses that do not let everybody in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gametape_bus::{Bus, Filter, Nats, NatsOptions, Subject};
use gametape_live::{Message, StartAt};
use gametape_wire::{ErrorClass, Result};
use nkeys::KeyPair;

use crate::cluster::Cluster;
use crate::parts::in_time;
use crate::toy::name;

/// The address of a node with something before the host.
fn with(cluster: &Cluster, login: &str) -> String {
    cluster.address(0).replace("nats://", &format!("nats://{login}@"))
}

async fn connect(address: &str, credentials: Option<&Path>) -> Result<Nats> {
    let credentials = credentials.map(Path::to_owned);
    let options = NatsOptions::default().with_credentials(credentials);
    in_time(Nats::connect(address, &options)).await
}

/// Messages go out and come in.
async fn works(bus: Result<Nats>) {
    let bus = Arc::new(bus.unwrap());
    let mut own = bus.subscribe(&[Filter::Announces]).await.unwrap();
    let message = Message::Seek(StartAt::Live).to_bytes();
    bus.publish(&Subject::Announce(name()).to_string(), None, &message);
    assert_eq!(in_time(own.next()).await.unwrap().bytes, message);
}

/// It is said at once, without what was tried.
async fn is_refused(address: &str, credentials: Option<&Path>) {
    let begun = std::time::Instant::now();
    let error = connect(address, credentials).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::Misuse, "{error}");
    let text = error.to_string();
    assert!(text.contains("credentials") && !text.contains("wrong"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(8), "it was tried again");
}

#[tokio::test]
async fn user_and_password_are_in_the_address() {
    let users = "authorization { users: [ { user: \"me\", password: \"s:cr@t/\" } ] }\n";
    let Some(cluster) = Cluster::start_with(1, false, users) else { return };
    works(connect(&with(&cluster, "me:s%3Acr%40t%2F"), None).await).await;
    for login in ["me:wrong", "wrong:s%3Acr%40t%2F", "wrong"] {
        is_refused(&with(&cluster, login), None).await;
    }
    is_refused(&cluster.address(0), None).await;
}

#[tokio::test]
async fn a_token_is_in_the_address() {
    let Some(cluster) = Cluster::start_with(1, false, "authorization { token: \"t0ken\" }\n")
    else {
        return;
    };
    works(connect(&with(&cluster, "t0ken"), None).await).await;
    is_refused(&with(&cluster, "wrong"), None).await;
}

/// Claims about a key, signed by another.
fn signed(by: &KeyPair, about: &KeyPair, nats: &str) -> String {
    let head = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let claims = format!(
        r#"{{"jti":"x","iat":1700000000,"iss":"{}","sub":"{}","name":"test","nats":{nats}}}"#,
        by.public_key(),
        about.public_key()
    );
    let text = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(by.sign(text.as_bytes()).unwrap());
    format!("{text}.{signature}")
}

/// A user of an account, as a file of credentials.
fn credentials(account: &KeyPair) -> String {
    let user = KeyPair::new_user();
    let limits = r#""type":"user","version":2,"pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1"#;
    let jwt = signed(account, &user, &format!("{{{limits}}}"));
    let seed = user.seed().unwrap();
    format!(
        "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
}

#[tokio::test]
async fn credentials_are_in_a_file() {
    let (operator, account) = (KeyPair::new_operator(), KeyPair::new_account());
    let limits = r#""limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1}"#;
    let config = format!(
        "operator: \"{}\"\nresolver: MEMORY\nresolver_preload: {{ {}: \"{}\" }}\n",
        signed(&operator, &operator, r#"{"type":"operator","version":2}"#),
        account.public_key(),
        signed(&operator, &account, &format!(r#"{{"type":"account","version":2,{limits}}}"#)),
    );
    let Some(cluster) = Cluster::start_with(1, false, &config) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let address = cluster.address(0);
    let good = file("good.creds", &credentials(&account));
    works(connect(&address, Some(&good)).await).await;
    let foreign = file("foreign.creds", &credentials(&KeyPair::new_account()));
    is_refused(&address, Some(&foreign)).await;
    is_refused(&address, Some(&file("empty.creds", "nothing"))).await;
    is_refused(&address, Some(&folder.path().join("none.creds"))).await;
    is_refused(&address, None).await;
}
