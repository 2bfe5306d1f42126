//! Recordings and the viewer over HTTP, and as pages that need no server.
//!
//! | to | use |
//! |---|---|
//! | serve recordings to browsers | [`Server`], with a [`Site`] |
//! | find recordings in files and folders | [`Shown`] |
//! | look into recordings while they are served | [`Catalogue`], with [`ShownMatches`] |
//! | write a folder that any web host can serve | [`write_site`], [`SiteFolder`] |
//! | have the viewer's files | [`Assets`] |
//! | make one HTML file with viewer and recording inside | [`one_file`] |
//! | write links that the viewer understands | [`link`] |
//!
//! Whoever asks gets what is in a fixed table: assets by name, recordings and pictures by number. No path of the
//! file system is ever made of what a request says. [`range`], [`negotiate`], [`condition`], [`host`] and
//! [`route`] decide about a request and do no I/O.
//!
//! ```
//! use gametape_server::range::{Asked, asked};
//! use gametape_server::route::Route;
//!
//! assert_eq!(asked("bytes=-10", 100), Asked::Part(90..100));
//! assert_eq!(Route::of("/key/recordings/3/final.tape", Some("key")), Route::Recording(3, "final.tape".into()));
//! assert_eq!(Route::of("/key/recordings/../../etc/passwd", Some("key")), Route::Nothing);
//! ```

mod assets;
mod base85;
mod catalogue;
pub mod condition;
mod folder;
pub mod host;
pub mod link;
pub mod live;
pub mod negotiate;
mod one_file;
mod patience;
pub mod range;
mod respond;
pub mod route;
mod server;
mod shown;
mod site;
mod tls;

pub use assets::{Asset, Assets, BUILD_COMMAND, NotBuilt};
pub use catalogue::{Catalogue, Lookup};
pub use folder::{SiteFolder, Unwritten};
pub use one_file::{Embedded, one_file};
pub use server::{Listen, Server, Stopper};
pub use shown::{Shown, ShownMatches, WrittenSite, write_site};
pub use site::{Matches, Recording, Site};
pub use tls::Identity;
