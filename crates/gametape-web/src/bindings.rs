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

    /// A tape that is being recorded, of which nothing is there.
    pub fn growing(name: &str) -> Self {
        Self(Session::growing(name))
    }

    /// More of a tape that grows. Gives its last moment, 0 before it is open.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<f64, JsError> {
        let end = self.0.extend(bytes).map_err(|problem| JsError::new(&problem))?;
        Ok(end as f64)
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

    /// What is on each tile of the present scene, for comparing it with that of another session.
    pub fn looks(&mut self) -> Result<Vec<u8>, JsError> {
        self.0.looks().map_err(|problem| JsError::new(&problem))
    }

    /// Marks the tiles that differ from what another session has on them; how many these are.
    pub fn compare(&mut self, looks: &[u8]) -> Result<usize, JsError> {
        self.0.compare(looks).map_err(|problem| JsError::new(&problem))
    }

    /// The file that was made last. It is given once.
    pub fn file(&mut self) -> Vec<u8> {
        self.0.take_file()
    }

    /// Where the last picture is in the memory of the module: red, green, blue, alpha by row. It is there until the next call.
    /// *Why no list: that would be two copies of some megabytes, sixty times a second.*
    pub fn pixels(&self) -> usize {
        self.0.pixels().as_ptr() as usize
    }

    /// How many bytes the last picture has.
    pub fn pixels_length(&self) -> usize {
        self.0.pixels().len()
    }
}
