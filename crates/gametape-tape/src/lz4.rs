//! Unpacking LZ4 blocks.
//!
//! Columns consist of short patterns that are repeated many times. Here a pattern doubles with every
//! copy; the decoder of `lz4_flex` goes byte by byte there, which took half of its time for them.

/// Bytes that are copied at once, needed or not: what is too much is overwritten later.
const AT_ONCE: usize = 16;
/// The shortest repetition.
const LEAST_COUNT: usize = 4;

/// Unpacks a whole block to the beginning of `out`; returns how many bytes it has. None if it is not
/// a block, or one of more bytes than there is room for.
pub(crate) fn unpack(block: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut rest, mut end) = (block, 0);
    loop {
        let token = take_byte(&mut rest)?;
        let literals = take_length(token >> 4, &mut rest)?;
        copy_literals(&mut out[end..], &mut rest, literals)?;
        end += literals;
        if rest.is_empty() {
            return Some(end);
        }
        let (offset, behind) = rest.split_first_chunk()?;
        rest = behind;
        let count = LEAST_COUNT + take_length(token & 15, &mut rest)?;
        repeat(out, end, u16::from_le_bytes(*offset).into(), count)?;
        end += count;
    }
}

#[inline]
fn take_byte(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, behind) = rest.split_first()?;
    *rest = behind;
    Some(byte)
}

/// A length that begins with four bits of a token. The limits of a chunk keep it below 2³².
#[inline]
fn take_length(begin: u8, rest: &mut &[u8]) -> Option<usize> {
    let mut length = usize::from(begin);
    if begin == 15 {
        loop {
            let more = take_byte(rest)?;
            length += usize::from(more);
            if more < 255 {
                break;
            }
        }
    }
    Some(length)
}

/// Moves `count` bytes from `rest` to the beginning of `out`.
#[inline]
fn copy_literals(out: &mut [u8], rest: &mut &[u8], count: usize) -> Option<()> {
    match (rest.first_chunk::<AT_ONCE>(), out.first_chunk_mut::<AT_ONCE>()) {
        (Some(from), Some(to)) if count <= AT_ONCE => *to = *from,
        _ => out.get_mut(..count)?.copy_from_slice(rest.get(..count)?),
    }
    *rest = &rest[count..];
    Some(())
}

/// Appends `count` bytes to the first `end` ones of `out`: those that stand `offset` before them.
#[inline]
fn repeat(out: &mut [u8], end: usize, offset: usize, count: usize) -> Option<()> {
    let start = end.checked_sub(offset).filter(|&start| start < end)?;
    if count > out.len() - end {
        return None;
    }
    if offset >= AT_ONCE && count <= 2 * AT_ONCE && out.len() - end >= 2 * AT_ONCE {
        copy_at_once(out, start, end);
        if count > AT_ONCE {
            copy_at_once(out, start + AT_ONCE, end + AT_ONCE);
        }
    } else if offset == 1 {
        let byte = out[start];
        out[end..end + count].fill(byte);
    } else if offset < count && count <= 2 * AT_ONCE {
        (0..count).for_each(|place| out[end + place] = out[start + place]);
    } else {
        double(out, start, end, count);
    }
    Some(())
}

#[inline]
fn copy_at_once(out: &mut [u8], from: usize, to: usize) {
    let bytes: Option<&[u8; AT_ONCE]> = out[from..].first_chunk();
    if let Some(bytes) = bytes.copied() {
        out[to..to + AT_ONCE].copy_from_slice(&bytes);
    }
}

/// Copies what stands from `start` to `end`, again and again, with every copy twice as much.
fn double(out: &mut [u8], start: usize, end: usize, count: usize) {
    let mut done = 0;
    while done < count {
        let length = (end + done - start).min(count - done);
        out.copy_within(start..start + length, end + done);
        done += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lz4_flex::block;
    use proptest::prelude::*;

    /// Bytes with many repetitions at all distances.
    fn repetitive() -> impl Strategy<Value = Vec<u8>> {
        let piece = (prop::collection::vec(any::<u8>(), 1..40), 1usize..60);
        let pieces = prop::collection::vec(piece, 0..20);
        pieces.prop_map(|pieces| pieces.iter().flat_map(|(bytes, n)| bytes.repeat(*n)).collect())
    }

    /// Blocks that are right but for a few bytes.
    fn damaged() -> impl Strategy<Value = Vec<u8>> {
        let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
        (repetitive(), damage, any::<prop::sample::Index>()).prop_map(|(raw, damage, end)| {
            let mut block = block::compress(&raw);
            for (place, byte) in damage {
                let place = place.index(block.len());
                block[place] = byte;
            }
            // Half of them whole.
            let end = end.index(2 * block.len()) + 1;
            block.truncate(end);
            block
        })
    }

    /// Another decoder's word.
    fn expected(block: &[u8], room: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; room];
        let length = block::decompress_into(block, &mut out).ok()?;
        out.truncate(length);
        Some(out)
    }

    fn unpacked(block: &[u8], room: usize) -> Option<Vec<u8>> {
        let mut out = vec![0xEE; room];
        let length = unpack(block, &mut out)?;
        out.truncate(length);
        Some(out)
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(raw in repetitive()) {
            let block = block::compress(&raw);
            prop_assert_eq!(unpacked(&block, raw.len()), Some(raw.clone()));
            if let Some(less) = raw.len().checked_sub(1) {
                prop_assert_eq!(unpacked(&block, less), None);
            }
        }

        #[test]
        fn damaged_blocks_are_judged_as_another_decoder_does(block in damaged(), room in 0usize..5000) {
            prop_assert_eq!(unpacked(&block, room), expected(&block, room));
        }

        #[test]
        fn so_are_arbitrary_bytes(block in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert_eq!(unpacked(&block, 600), expected(&block, 600));
        }
    }

    #[test]
    fn blocks_by_hand() {
        assert_eq!(unpacked(&[0x00], 0), Some(vec![]));
        assert_eq!(unpacked(&[0x30, 1, 2, 3], 9), Some(vec![1, 2, 3]));
        assert_eq!(unpacked(&[0x11, 7, 1, 0, 0x10, 8], 9), Some(vec![7, 7, 7, 7, 7, 7, 8]));
        assert_eq!(unpacked(&[], 9), None, "no token");
        assert_eq!(unpacked(&[0x11, 7, 0, 0, 0x10, 8], 9), None, "from nowhere");
        assert_eq!(unpacked(&[0x11, 7, 2, 0, 0x10, 8], 9), None, "from before the beginning");
        assert_eq!(unpacked(&[0xF0, 255, 255], 9), None, "a length without end");
        assert_eq!(unpacked(&[0x11, 7, 1], 9), None, "half an offset");
    }
}
