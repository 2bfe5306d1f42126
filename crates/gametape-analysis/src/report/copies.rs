//! Copies of one match among many tapes.

use std::collections::BTreeMap;

use crate::export::column::Names;
use crate::export::match_info::MatchInfo;

/// Finds tapes that hold the same match: packing and signing keep its id.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    /// Where each match was first found.
    first: BTreeMap<String, String>,
}

impl Copies {
    /// Where the same match was found before; `None` for the first of its copies, which is remembered.
    pub fn original<N: Names>(&mut self, info: &MatchInfo<N>) -> Option<String> {
        if info.id.is_empty() {
            return None;
        }
        if let Some(source) = self.first.get(&info.id) {
            return Some(source.clone());
        }
        self.first.insert(info.id.clone(), info.source.clone());
        None
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::TickLength;

    use super::*;

    #[test]
    fn a_match_is_new_once() {
        let info = |id: &str, source: &str| {
            let mut info = MatchInfo::new(TickLength::MILLISECOND, [""; 0]);
            (info.id, info.source) = (id.to_owned(), source.to_owned());
            info
        };
        let mut copies = Copies::default();
        assert_eq!(copies.original(&info("1a", "a.tape")), None);
        assert_eq!(copies.original(&info("2b", "b.tape")), None);
        assert_eq!(copies.original(&info("1a", "packed.tape")).as_deref(), Some("a.tape"));
        assert_eq!(copies.original(&info("1a", "signed.tape")).as_deref(), Some("a.tape"));
        // Of an unknown match nobody knows whether it is the same.
        assert_eq!(copies.original(&info("", "c.tape")), None);
        assert_eq!(copies.original(&info("", "d.tape")), None);
    }
}
