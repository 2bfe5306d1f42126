//! From one table to enum, decoder, encoder, assembler, disassembler and the printed table.

use super::pattern::Pattern;

/// One row of an instruction table, as data: for the table printed in `spec/`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// First byte in v0.1 and in current, where the generation has the message.
    pub(crate) patterns: [Option<Pattern>; 2],
    /// Every word that assembles to this row.
    pub(crate) words: &'static [&'static str],
    pub(crate) class: &'static str,
    /// The class where it is about the view's own affairs, if that is another.
    pub(crate) own: Option<&'static str>,
    /// Name, type and letter (`-` for none) of each operand, in the order of the text.
    pub(crate) operands: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) meaning: &'static str,
}

/// The patterns of one generation.
pub(crate) const fn patterns_of<const N: usize>(
    rows: &[Row; N],
    generation: usize,
) -> [Option<Pattern>; N] {
    let mut patterns = [None; N];
    let mut i = 0;
    while i < N {
        patterns[i] = rows[i].patterns[generation];
        i += 1;
    }
    patterns
}

/// Which of the first bytes that match a row's pattern are not the row's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    None,
    /// Those whose masked bits have this value: one comparison, and no look into the map.
    Family {
        mask: usize,
        value: usize,
    },
    Scattered,
}

impl Others {
    /// `matching` says of the first bytes that match whether they are the row's own.
    pub(crate) const fn among(matching: &[Option<bool>; 256]) -> Self {
        let (mut ones, mut zeros) = (0xFF, 0xFF);
        let mut byte = 0;
        while byte < 256 {
            if let Some(false) = matching[byte] {
                ones &= byte;
                zeros &= !byte;
            }
            byte += 1;
        }
        let (mask, value) = (ones | zeros, ones);
        if ones & zeros != 0 {
            return Self::None;
        }
        byte = 0;
        while byte < 256 {
            if let Some(true) = matching[byte]
                && byte & mask == value
            {
                return Self::Scattered;
            }
            byte += 1;
        }
        Self::Family { mask, value }
    }
}

/// Declares an instruction set.
///
/// A row is: documentation (its text is the meaning in the printed table), variant, words
/// (`=> |generation| …` chooses the one to print where it is not the first), class (`=> own …` for the
/// view's own affairs), pattern in v0.1, pattern in current (`-` where the generation has no such message), and the operands in
/// the order of the assembly text. First bytes in `reserved` belong to no row, whatever patterns
/// match them. `@k` says that the letter `k` of a pattern carries the
/// operand; where a pattern has no such letter, the operand follows the first byte.
///
/// The row that is met most, `often`, is looked for before the others. *Why: half of the time of reading and writing
/// messages is lost after kinds that the processor guessed wrongly, and it notices a wrong comparison sooner than a
/// wrong jump to one of many: a tenth less time.*
macro_rules! instructions {
    (
        $(#[$set_doc:meta])*
        $set:ident, rows $rows:ident, row ids $id:ident, reserved [$($reserved:literal),*],
        often $often:ident {
            $(
                #[doc = $meaning:literal] $(#[doc = $more:literal])*
                $variant:ident $($word:literal)|+ $(=> $choose:expr)?,
                $class:expr $(=> own $own:expr)?, $v01:tt $current:tt
                { $($field:ident: $type:ty $(, @$letter:ident)?;)* }
            )*
        }
    ) => {
        $(#[$set_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $set<'a> {
            $(
                #[doc = $meaning] $(#[doc = $more])*
                $variant { $(
                    #[doc = concat!("The operand `", stringify!($field), "`.")]
                    $field: $type
                ),* },
            )*
        }

        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum $id { $($variant),*, Reserved }

        pub(crate) const $rows: [Row; [$($id::$variant),*].len()] = [$(
            Row {
                patterns: [instructions!(@pattern $v01), instructions!(@pattern $current)],
                words: &[$($word),+],
                class: stringify!($class),
                own: instructions!(@own $($own)?),
                operands: &[$((
                    stringify!($field), stringify!($type), instructions!(@letter $($letter)?)
                )),*],
                meaning: $meaning,
            }
        ),*];

        impl $id {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The row of every first byte, for each generation.
            const MAP: [[Self; 256]; 2] = [Self::map(0), Self::map(1)];

            /// Is a first byte one of the row that is met most, in each generation? This is a table of its own because
            /// the compiler makes a comparison of rows part of the jump again.
            const OFTEN: [[bool; 256]; 2] = [Self::often(0), Self::often(1)];

            const fn often(generation: usize) -> [bool; 256] {
                let mut often = [false; 256];
                let mut byte = 0;
                while byte < 256 {
                    often[byte] = Self::MAP[generation][byte] as usize == Self::$often as usize;
                    byte += 1;
                }
                often
            }

            const fn map(generation: usize) -> [Self; 256] {
                let rows = decode_map(&patterns_of(&$rows, generation), &[$($reserved),*]);
                let mut map = [Self::Reserved; 256];
                let mut byte = 0;
                while byte < 256 {
                    if let Some(row) = rows[byte] {
                        map[byte] = Self::ALL[row as usize];
                    }
                    byte += 1;
                }
                map
            }

            /// Where the operand with this letter is in the first byte.
            const fn field(self, dialect: usize, letter: &str) -> Option<Field> {
                match $rows[self as usize].patterns[generation_index(dialect)] {
                    Some(pattern) => pattern.field(letter.as_bytes()[0]),
                    None => None,
                }
            }

            /// The fixed bits of the first byte, where the generation has the message.
            const fn opcode(self, dialect: usize) -> Option<usize> {
                match $rows[self as usize].patterns[generation_index(dialect)] {
                    Some(pattern) => Some(pattern.value() as usize),
                    None => None,
                }
            }

            /// The first bytes that match the pattern and belong to other rows, or to none.
            const fn others(self, dialect: usize) -> Others {
                let generation = generation_index(dialect);
                let Some(pattern) = $rows[self as usize].patterns[generation] else {
                    return Others::None;
                };
                let mut matching = [None; 256];
                let mut byte = 0;
                while byte < 256 {
                    if pattern.matches(byte as u8) {
                        matching[byte] = Some(Self::MAP[generation][byte] as usize == self as usize);
                    }
                    byte += 1;
                }
                Others::among(&matching)
            }

            /// An error unless the finished first byte still belongs to this row.
            #[inline(always)]
            fn check<const D: usize>(
                self,
                byte: usize,
                word: impl FnOnce() -> &'static str,
            ) -> Result<u8> {
                let byte = byte as u8;
                if Self::MAP[const { generation_index(D) }][byte as usize] == self {
                    Ok(byte)
                } else {
                    Err(collides(byte, word()))
                }
            }
        }

        impl<'a> $set<'a> {
            /// Decodes one message and hands it, with its bytes, to `take` in the arm that made
            /// it: moving it through a common variable first would cost more than decoding it.
            #[inline(always)]
            fn decode_in<const D: usize, T>(
                r: &mut Reader<'a>,
                take: impl FnOnce(Self, &'a [u8]) -> T,
            ) -> Result<T> {
                let start = r.clone();
                let opcode = r.u8("first byte of a message")?;
                let generation = const { generation_index(D) };
                if $id::OFTEN[generation][opcode as usize] {
                    return Self::decode_row::<D, T>($id::$often, opcode, start, r, take);
                }
                let id = $id::MAP[generation][opcode as usize];
                Self::decode_row::<D, T>(id, opcode, start, r, take)
            }

            /// The same of a message of row `id`, whose first byte was read.
            #[inline(always)]
            fn decode_row<const D: usize, T>(
                id: $id,
                opcode: u8,
                start: Reader<'a>,
                r: &mut Reader<'a>,
                take: impl FnOnce(Self, &'a [u8]) -> T,
            ) -> Result<T> {
                match id {
                    $($id::$variant => {
                        $(let $field = <$type as Operand<'a>>::read(
                            instructions!(@slot D $id $variant $field $($letter)?), opcode, r,
                        )?;)*
                        Ok(take(Self::$variant { $($field),* }, r.since(&start)))
                    })*
                    $id::Reserved => Err(reserved(start.offset(), opcode, stringify!($set))),
                }
            }

            /// Adds the message to `wire` and hands that to `take`, in the arm of the row for the
            /// reason that [`decode_in`](Self::decode_in) has.
            #[inline(always)]
            fn encode_in<const D: usize, T: Take<'a>>(
                &self,
                wire: Wire<'a>,
                to: T,
            ) -> Result<T::Taken> {
                match self {
                    $(Self::$variant { $($field),* } => {
                        let word = || self.word_in(DIALECTS[D].generation());
                        let Some(opcode) = (const { $id::$variant.opcode(D) }) else {
                            return Err(not_in_generation(word(), DIALECTS[D]));
                        };
                        $(let opcode = opcode
                            | instructions!(@slot D $id $variant $field $($letter)?)
                                .shifted($field.bits())?;)*
                        match const { $id::$variant.others(D) } {
                            Others::None => {}
                            Others::Family { mask, value } => {
                                if opcode & mask == value {
                                    return Err(collides(opcode as u8, word()));
                                }
                            }
                            Others::Scattered => {
                                $id::$variant.check::<D>(opcode, word)?;
                            }
                        }
                        let wire = wire.put_first(opcode);
                        $(let wire = $field.write(
                            instructions!(@slot D $id $variant $field $($letter)?), wire,
                        )?;)*
                        to.take(wire)
                    })*
                }
            }

            #[inline(always)]
            fn print_in<'p, const D: usize>(&self, pen: Pen<'p>) -> Pen<'p> {
                match self {
                    $(Self::$variant { $($field),* } => {
                        instructions!(@print "", D $id $variant pen [$($word),+] [$($choose)?]
                            $($field [$($letter)?])*)
                    })*
                }
            }

            /// Decodes one message and prints it on a line of its own, without making it: the fast
            /// way to text. False for one that cannot be read or whose text would not say everything:
            /// it is not printed.
            #[allow(dead_code, reason = "player updates are printed as operands")]
            #[inline(always)]
            fn print_line_in<'p, const D: usize>(
                r: &mut Reader<'a>,
                pen: Pen<'p>,
            ) -> (Pen<'p>, bool) {
                let Ok(opcode) = r.u8("first byte of a message") else { return (pen, false) };
                match $id::MAP[const { generation_index(D) }][opcode as usize] {
                    $($id::$variant => {
                        $(
                            let slot = instructions!(@slot D $id $variant $field $($letter)?);
                            let Ok($field) = <$type as Operand<'a>>::read(slot, opcode, r) else {
                                return (pen, false);
                            };
                            if !$field.is_exact(slot) {
                                return (pen, false);
                            }
                        )*
                        let pen = instructions!(@print "\n  ", D $id $variant pen [$($word),+]
                            [$($choose)?] $($field [$($letter)?])*);
                        (pen, true)
                    })*
                    $id::Reserved => (pen, false),
                }
            }

            /// Assembles one message of row `id` from the words after the mnemonic.
            fn assemble_in<const D: usize>(
                id: $id,
                tokens: &mut Tokens<'_>,
                out: &mut Vec<u8>,
            ) -> Result<Fit> {
                let start = out.len();
                out.push(0);
                match id {
                    $($id::$variant => {
                        let word = $rows[id as usize].words[0];
                        let Some(opcode) = (const { $id::$variant.opcode(D) }) else {
                            return Err(not_in_generation(word, DIALECTS[D]));
                        };
                        #[allow(unused_mut, reason = "some rows have no operands")]
                        let mut fit = Fit::Exact;
                        $(
                            let slot = instructions!(@slot D $id $variant $field $($letter)?);
                            let (bits, field_fit) = <$type as Operand<'_>>::parse(slot, tokens, out)?;
                            let opcode = opcode | slot.shifted(bits)?;
                            fit = fit.max(field_fit);
                        )*
                        out[start] = id.check::<D>(opcode, || word)?;
                        Ok(fit)
                    })*
                    $id::Reserved => Ok(Fit::Exact),
                }
            }

            /// Does the text say everything, so that assembling it gives the same bytes?
            fn is_exact_in<const D: usize>(&self) -> bool {
                match self {
                    $(Self::$variant { $($field),* } => true $(&& $field.is_exact(
                        instructions!(@slot D $id $variant $field $($letter)?)
                    ))*,)*
                }
            }

            /// How many operands of row `id` are before a list that may go on, if it has one.
            #[allow(dead_code, reason = "only one of the sets has lists")]
            const fn list_start(id: $id) -> Option<usize> {
                match id {
                    $($id::$variant => {
                        let lists: &[bool] = &[$(<$type as Operand<'a>>::LIST),*];
                        match lists {
                            [before @ .., true] => Some(before.len()),
                            _ => None,
                        }
                    })*
                    $id::Reserved => None,
                }
            }

            /// The word for the message in assembly text.
            #[must_use]
            #[allow(unused_variables, reason = "few rows look at their operands")]
            pub fn word_in(&self, generation: Generation) -> &'static str {
                match self {
                    $(Self::$variant { $($field),* } => {
                        instructions!(@word generation [$($word),+] $($choose)?)
                    })*
                }
            }

            /// How the message wants to be delivered. Where that depends on whose tile it is
            /// about, this is the higher class: a message may always travel in a higher one.
            #[must_use]
            #[allow(unused_variables, reason = "few rows look at their operands")]
            pub fn class(&self) -> Class {
                match self {
                    $(Self::$variant { $($field),* } => $class,)*
                }
            }

            /// The same where it is about the view's own affairs: an item on a tile of its own, a
            /// pending structure.
            #[must_use]
            #[allow(unused_variables, reason = "few rows look at their operands")]
            pub fn own_class(&self) -> Class {
                match self {
                    $(Self::$variant { $($field),* } => instructions!(@own_class $class $(, $own)?),)*
                }
            }
        }
    };

    (@print $start:literal, $dialect:ident $id:ident $variant:ident $pen:ident
        $words:tt [$($choose:expr)?] $($field:ident [$($letter:ident)?])*
    ) => {{
        let pen = instructions!(@print_word $start, $dialect $pen $words $($choose)?);
        $(let pen = $field.print(
            instructions!(@slot $dialect $id $variant $field $($letter)?), pen,
        );)*
        pen
    }};
    (@print_word $start:literal, $dialect:ident $pen:ident [$first:literal $(, $more:literal)*]) => {
        $pen.text(concat!($start, $first).as_bytes())
    };
    (@print_word $start:literal, $dialect:ident $pen:ident $words:tt $choose:expr) => {
        $pen.text($start.as_bytes()).text(($choose)(DIALECTS[$dialect].generation()).as_bytes())
    };
    (@own) => { None };
    (@own $own:expr) => { Some(stringify!($own)) };
    (@own_class $class:expr) => { $class };
    (@own_class $class:expr, $own:expr) => { $own };
    (@pattern -) => { None };
    (@pattern $pattern:literal) => { Some(Pattern::parse($pattern)) };
    (@letter) => { "-" };
    (@letter $letter:ident) => { stringify!($letter) };
    (@slot $dialect:ident $id:ident $variant:ident $field:ident $($letter:ident)?) => {
        const {
            Slot {
                name: stringify!($field),
                field: $id::$variant.field($dialect, instructions!(@letter $($letter)?)),
                dialect: DIALECTS[$dialect],
            }
        }
    };
    (@word $generation:tt [$first:literal $(, $more:literal)*]) => { $first };
    (@word $generation:tt [$($word:literal),+] $choose:expr) => { ($choose)($generation) };
}
pub(super) use instructions;

#[cfg(test)]
mod tests {
    use super::Others;

    fn among(own: &[usize], others: &[usize]) -> Others {
        let mut matching = [None; 256];
        own.iter().for_each(|&byte| matching[byte] = Some(true));
        others.iter().for_each(|&byte| matching[byte] = Some(false));
        Others::among(&matching)
    }

    #[test]
    fn bytes_of_others_are_a_family_only_if_one_comparison_finds_just_them() {
        assert_eq!(among(&[0x20, 0x21], &[]), Others::None);
        assert_eq!(among(&[], &[]), Others::None);
        let family = |mask, value| Others::Family { mask, value };
        assert_eq!(among(&[0x21, 0x22], &[0x20]), family(0xFF, 0x20));
        assert_eq!(among(&[0x81, 0x91, 0xA1], &[0x80, 0x90, 0xA0, 0xB0]), family(0xCF, 0x80));
        assert_eq!(among(&[0x21, 0x22], &[0x20, 0x23]), Others::Scattered);
    }
}
