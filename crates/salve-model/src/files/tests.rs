//! Files at the simulated provider, in the three dialects.

use super::*;
use crate::http_client::{HttpClientOptions, http_client};
use crate::sim::{Script, SimHandle, SimServer};
use std::net::Ipv4Addr;

async fn sim() -> SimHandle {
    let addr = (Ipv4Addr::LOCALHOST, 0).into();
    SimServer::start(Script::of_text("x"), addr).await.unwrap()
}

fn files(sim: &SimHandle, dialect: Dialect) -> ProviderFiles {
    let provider = Provider { files: true, ..Provider::new("p", dialect, sim.url(), None) };
    let client = http_client(&HttpClientOptions::default()).unwrap();
    ProviderFiles::of(&provider, client).unwrap()
}

#[tokio::test]
async fn c130_a_file_is_uploaded_found_and_deleted_in_every_dialect() {
    let sim = sim().await;
    // A text that looks like the boundary of the form it travels in.
    let bytes = b"--salve-form-0000000000000000--\r\nlet x = \"\xc3\xa4\";\n";
    for dialect in Dialect::ALL {
        let files = files(&sim, dialect);
        let name = format!("a \"b\"\r\nx: y {dialect:?}.rs");
        let made = files.upload(&name, bytes).await.unwrap();
        assert!(files.exists(&made.id).await.unwrap());
        assert_eq!(files.find(&made.filename).await.unwrap(), Some(made.clone()));
        assert_eq!(sim.files().last().unwrap().bytes, &bytes[..]);
        assert!(!made.filename.contains(['"', '\r', '\n']), "{}", made.filename);
        assert!(files.delete(&made.id).await.unwrap());
        assert!(!files.delete(&made.id).await.unwrap(), "it is gone");
        assert!(!files.exists(&made.id).await.unwrap());
        assert_eq!(files.find(&made.filename).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_name_is_found_on_a_later_page() {
    let sim = sim().await;
    let files = files(&sim, Dialect::Chat);
    let first = files.upload("first", b"1").await.unwrap();
    for number in 0..150 {
        files.upload(&format!("n{number}"), b"x").await.unwrap();
    }
    assert_eq!(files.find("first").await.unwrap(), Some(first));
}

#[tokio::test]
async fn an_id_cannot_lead_to_another_address() {
    let sim = sim().await;
    let files = files(&sim, Dialect::Chat);
    for id in ["../models", "..", "", "a/b?c"] {
        assert_ne!(files.exists(id).await, Ok(true), "{id}");
    }
    assert!(sim.requests().iter().all(|seen| seen.path.starts_with("/v1/files")));
}

#[tokio::test]
async fn c138_what_is_above_the_limit_of_providers_is_not_sent() {
    let sim = sim().await;
    let bytes = vec![b'x'; usize::try_from(MOST_FILE_BYTES).unwrap() + 1];
    let error = files(&sim, Dialect::Chat).upload("big", &bytes).await.unwrap_err();
    assert_eq!(error, FilesError::TooLarge { bytes: MOST_FILE_BYTES + 1 });
    assert!(sim.requests().is_empty());
}

#[tokio::test]
async fn a_provider_without_a_place_for_files_has_none() {
    let client = http_client(&HttpClientOptions::default()).unwrap();
    let provider = Provider::new("ollama", Dialect::Chat, "http://127.0.0.1:1", None);
    assert!(ProviderFiles::of(&provider, client).is_none());
}
