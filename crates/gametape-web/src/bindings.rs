//! What JavaScript sees of a session.

use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::session::{Answered, Session};

/// One recording that somebody looks at.
#[wasm_bindgen(js_name = Session)]
#[derive(Debug)]
pub struct JsSession(Session);

#[wasm_bindgen(js_class = Session)]
impl JsSession {
    /// A recording with a name and a length in bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, length: f64) -> Self {
        Self(Session::new(name, length as u64))
    }

    /// The letters of the board. False where the font cannot be read.
    pub fn font(&mut self, bytes: Vec<u8>) -> bool {
        self.0.set_font(bytes)
    }

    /// Answers a request, both JSON; `undefined` where bytes are missing.
    pub fn call(&mut self, request: &str) -> Result<Option<String>, JsError> {
        match self.0.call(request) {
            Ok(Answered::Ready(answer)) => Ok(Some(answer)),
            Ok(Answered::Missing) => Ok(None),
            Err(problem) => Err(JsError::new(&problem)),
        }
    }

    /// Starts and ends of the ranges of bytes that the last call did not have.
    pub fn missing(&self) -> Vec<f64> {
        self.0
            .missing()
            .into_iter()
            .flat_map(|range| [range.start as f64, range.end as f64])
            .collect()
    }

    /// Bytes of a missing range, from its start on.
    pub fn supply(&mut self, start: f64, bytes: &[u8]) {
        self.0.supply(start as u64, bytes);
    }

    /// The last picture, red, green, blue, alpha by row.
    pub fn pixels(&self) -> Vec<u8> {
        self.0.pixels().to_vec()
    }
}
