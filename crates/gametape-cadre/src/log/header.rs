//! The fields of a log's root, without its deltas.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::limits::{DELTAS, PLAYERS, ROOT_FIELDS};
use crate::text::json::{Cursor, Span, StringToken};
use crate::text::raw::Raw;

/// Which of the three layouts a log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Age {
    /// The first one: no version, no settings, the random seed at the top.
    Seed,
    /// With settings, without a version.
    Y2018,
    /// With `gamelogVersion`.
    Versioned,
}

/// Where a field is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: StringToken,
    pub(crate) value: Span,
}

/// The error for a part that is not what it has to be.
#[cold]
pub(crate) fn misfit(path: &str, problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Path(path.to_owned()), "gamelog", kind)
}

/// What is known of a root after one walk over it.
#[derive(Debug, Default)]
pub(crate) struct Root {
    /// All fields but `deltas`, in order.
    pub(crate) fields: Vec<Field>,
    /// Before which field `deltas` is.
    pub(crate) deltas_at: usize,
    pub(crate) delta_count: usize,
}

impl Root {
    /// Walks over the root. `take_delta` is called at each delta and has to take it.
    pub(crate) fn walk(
        text: &[u8],
        take_delta: &mut impl FnMut(&mut Cursor<'_>) -> Result<()>,
    ) -> Result<Self> {
        let mut root = Self::default();
        let mut cursor = Cursor::new(text, 0);
        cursor.expect(b'{', "a gamelog must be an object")?;
        let mut more = !cursor.accept(b'}');
        let mut found = false;
        while more {
            let name = cursor.string()?;
            cursor.expect(b':', "expected a colon")?;
            if *name.decoded(text) == *b"deltas" {
                if std::mem::replace(&mut found, true) {
                    return Err(misfit("deltas", "deltas must be there once"));
                }
                root.walk_deltas(&mut cursor, take_delta)?;
            } else {
                ROOT_FIELDS.check(root.fields.len() as u64 + 1, cursor.at as u64)?;
                root.fields.push(Field { name, value: cursor.skip_value()? });
            }
            more = cursor.comma_or(b'}')?;
        }
        if !found {
            let problem = "it has no `deltas`".into();
            let kind = ErrorKind::BadSyntax { problem };
            return Err(Error::new(Place::Nowhere, "not a gamelog", kind));
        }
        nothing_after(&mut cursor)?;
        Ok(root)
    }

    fn walk_deltas(
        &mut self,
        cursor: &mut Cursor<'_>,
        take_delta: &mut impl FnMut(&mut Cursor<'_>) -> Result<()>,
    ) -> Result<()> {
        self.deltas_at = self.fields.len();
        if !cursor.accept(b'[') {
            return Err(misfit("deltas", "deltas must be an array"));
        }
        let mut more = !cursor.accept(b']');
        while more {
            self.delta_count += 1;
            DELTAS.check(self.delta_count as u64, cursor.at as u64)?;
            take_delta(cursor)?;
            more = cursor.comma_or(b']')?;
        }
        Ok(())
    }
}

fn nothing_after(cursor: &mut Cursor<'_>) -> Result<()> {
    cursor.peek();
    match (cursor.text.len() - cursor.at) as u64 {
        0 => Ok(()),
        extra => Err(Error::at(cursor.at as u64, "gamelog", ErrorKind::Trailing { extra })),
    }
}

/// The fields of a log's root, whatever the log's age.
#[derive(Debug, Clone, Copy)]
pub struct Header<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) fields: &'a [Field],
}

impl<'a> Header<'a> {
    /// A field of the root as it is written; the last one if there are several.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Raw<'a>> {
        let named = |field: &&Field| *field.name.decoded(self.text) == *name.as_bytes();
        let field = self.fields.iter().rev().find(named)?;
        Some(Raw::of(self.text, field.value))
    }

    fn text_field(&self, name: &str) -> Option<Cow<'a, str>> {
        self.field(name)?.as_str()
    }

    /// The name of the game.
    #[must_use]
    pub fn game_name(&self) -> Option<Cow<'a, str>> {
        self.text_field("gameName")
    }

    /// The name of the session.
    #[must_use]
    pub fn game_session(&self) -> Option<Cow<'a, str>> {
        self.text_field("gameSession")
    }

    /// The version of the layout.
    #[must_use]
    pub fn gamelog_version(&self) -> Option<Cow<'a, str>> {
        self.text_field("gamelogVersion")
    }

    /// The fingerprint of the game's rules.
    #[must_use]
    pub fn game_version(&self) -> Option<Cow<'a, str>> {
        self.text_field("gameVersion")
    }

    /// When the log was made, in milliseconds since 1970.
    #[must_use]
    pub fn epoch(&self) -> Option<i64> {
        self.field("epoch")?.as_i64()
    }

    /// The random seed, wherever this age of the format keeps it.
    #[must_use]
    pub fn random_seed(&self) -> Option<Cow<'a, str>> {
        let in_settings = || self.field("settings")?.get("randomSeed")?.as_str();
        self.text_field("randomSeed").or_else(in_settings)
    }

    /// Which layout it has.
    #[must_use]
    pub fn age(&self) -> Age {
        match (self.field("gamelogVersion"), self.field("settings")) {
            (Some(_), _) => Age::Versioned,
            (None, Some(_)) => Age::Y2018,
            (None, None) => Age::Seed,
        }
    }

    /// A copy of the text of the fields alone, and where in it they are.
    pub(crate) fn owned(&self) -> (Vec<u8>, Vec<Field>) {
        let mut text = Vec::new();
        let mut copy = |start: usize, end: usize| {
            let copied = text.len();
            text.extend_from_slice(&self.text[start..end]);
            (copied, text.len())
        };
        let copied = |field: &Field| {
            let (start, end) = copy(field.name.start, field.name.end);
            let name = StringToken { start, end, ..field.name };
            let (start, end) = copy(field.value.start as usize, field.value.end as usize);
            Field { name, value: Span::new(start, end) }
        };
        let fields = self.fields.iter().map(copied).collect();
        (text, fields)
    }

    /// The winners that the log names, at most [`PLAYERS`].
    #[must_use]
    pub fn winners(&self) -> Vec<Client<'a>> {
        self.clients("winners")
    }

    /// The losers that the log names, at most [`PLAYERS`].
    #[must_use]
    pub fn losers(&self) -> Vec<Client<'a>> {
        self.clients("losers")
    }

    fn clients(&self, name: &str) -> Vec<Client<'a>> {
        let Some(list) = self.field(name) else { return Vec::new() };
        list.elements().map_while(Result::ok).take(PLAYERS).map(Client).collect()
    }

    /// All fields in order, without `deltas`.
    pub fn fields(&self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        let text = self.text;
        self.fields.iter().map(move |field| {
            (crate::text::lossy(field.name.decoded(text)), Raw::of(text, field.value))
        })
    }
}

/// A client in the lists of winners and losers.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a>(Raw<'a>);

impl<'a> Client<'a> {
    /// The id of the player's game object.
    #[must_use]
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.0.get("id")?.as_str()
    }

    /// The index among the players.
    #[must_use]
    pub fn index(&self) -> Option<i64> {
        self.0.get("index")?.as_i64()
    }

    /// The name of the client.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.0.get("name")?.as_str()
    }

    /// Why the client won or lost.
    #[must_use]
    pub fn reason(&self) -> Option<Cow<'a, str>> {
        self.0.get("reason")?.as_str()
    }

    /// Did the client go away?
    #[must_use]
    pub fn disconnected(&self) -> bool {
        self.0.get("disconnected").is_some_and(|raw| raw.is_true())
    }

    /// Did the client run out of time?
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0.get("timedOut").is_some_and(|raw| raw.is_true())
    }
}
