//! Header blocks of SPDY/3.1: pairs of names and values, compressed with a fixed dictionary.

#[cfg(test)]
pub(super) mod tests;

use flate2::{Decompress, FlushDecompress};

use super::event::{Broken, PROTOCOL_ERROR};

/// The maximum size of a decompressed block in bytes; stream headers are a few short strings.
const LONGEST: usize = 16 * 1024;

/// The checksum that identifies the dictionary in the header of a zlib stream.
const DICTIONARY_ID: [u8; 4] = [0xe3, 0xc6, 0xa7, 0xc2];

/// The words at the start of the dictionary, each preceded by its length.
const WORDS: &str = "options|head|post|put|delete|trace|accept|accept-charset|accept-encoding|accept-language|\
    accept-ranges|age|allow|authorization|cache-control|connection|content-base|content-encoding|content-language|\
    content-length|content-location|content-md5|content-range|content-type|date|etag|expect|expires|from|host|\
    if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|location|max-forwards|\
    pragma|proxy-authenticate|proxy-authorization|range|referer|retry-after|server|te|trailer|transfer-encoding|\
    upgrade|user-agent|vary|via|warning|www-authenticate|method|get|status|200 OK|version|HTTP/1.1|url|public|\
    set-cookie|keep-alive|origin";

/// The text after the words.
const TEXT: &str = "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 \
    Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 \
    Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept \
    Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,\
    application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch\
    charset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/// Returns the dictionary.
fn dictionary() -> Vec<u8> {
    let mut all = Vec::new();
    for word in WORDS.split('|') {
        all.extend(length(word.len()));
        all.extend(word.bytes());
    }
    all.extend(TEXT.bytes());
    all
}

/// Returns a length as four bytes.
fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes()
}

/// Appends a stored (uncompressed) deflate block.
fn stored(bytes: &[u8], out: &mut Vec<u8>) {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.push(0);
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Decompresses the header blocks of one direction, which share a compressor.
#[derive(Debug)]
pub(super) struct Reader(Option<Decompress>);

impl Reader {
    pub(super) fn new() -> Self {
        Self(None)
    }

    /// Returns the pairs of the next block, with lower-case names.
    ///
    /// # Errors
    /// Returns an error if the block is invalid; all later blocks are then invalid too.
    pub(super) fn read(&mut self, mut block: &[u8]) -> Result<Vec<(String, String)>, Broken> {
        let inflate = match &mut self.0 {
            Some(inflate) => inflate,
            fresh => {
                // The zlib header: the compression method, and the ID of the dictionary if one is used.
                let ([method, flags], rest) = block.split_first_chunk().ok_or(PROTOCOL_ERROR)?;
                // Deflate is the only method of zlib.
                if method & 0x0f != 8 {
                    return Err(PROTOCOL_ERROR);
                }
                block = rest;
                let mut inflate = Decompress::new(false);
                if flags & 0x20 != 0 {
                    let (id, rest) = block.split_first_chunk().ok_or(PROTOCOL_ERROR)?;
                    if *id != DICTIONARY_ID {
                        return Err(PROTOCOL_ERROR);
                    }
                    block = rest;
                    // The decompressor cannot load a dictionary, so it first decompresses the dictionary as if the
                    // client had sent it.
                    let mut known = Vec::new();
                    stored(&dictionary(), &mut known);
                    inflated(&mut inflate, &known)?;
                }
                fresh.insert(inflate)
            }
        };
        pairs(&inflated(inflate, block)?)
    }
}

fn inflated(inflate: &mut Decompress, mut block: &[u8]) -> Result<Vec<u8>, Broken> {
    // The capacity limits the output, because a small block can expand to a large text.
    let mut text = Vec::with_capacity(LONGEST);
    while !block.is_empty() {
        let before = (inflate.total_in(), text.len());
        inflate
            .decompress_vec(block, &mut text, FlushDecompress::Sync)
            .map_err(|_| PROTOCOL_ERROR)?;
        let taken = inflate.total_in() - before.0;
        block = &block[usize::try_from(taken).unwrap_or(block.len())..];
        // No progress means that the output is full or the stream has ended.
        if taken == 0 && text.len() == before.1 {
            return Err(PROTOCOL_ERROR);
        }
    }
    Ok(text)
}

/// Parses names and values, each preceded by its length.
fn pairs(mut text: &[u8]) -> Result<Vec<(String, String)>, Broken> {
    fn number(text: &mut &[u8]) -> Result<usize, Broken> {
        let (bytes, rest) = text.split_first_chunk().ok_or(PROTOCOL_ERROR)?;
        *text = rest;
        usize::try_from(u32::from_be_bytes(*bytes)).map_err(|_| PROTOCOL_ERROR)
    }
    fn word(text: &mut &[u8]) -> Result<String, Broken> {
        let length = number(text)?;
        let (bytes, rest) = text.split_at_checked(length).ok_or(PROTOCOL_ERROR)?;
        *text = rest;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
    let count = number(&mut text)?;
    // Not preallocated, because the client's count cannot be trusted.
    let mut found = Vec::new();
    for _ in 0..count {
        let name = word(&mut text)?.to_ascii_lowercase();
        found.push((name, word(&mut text)?));
    }
    Ok(found)
}

/// Appends a block without pairs; the `first` block includes the zlib header.
pub(super) fn empty(first: bool, out: &mut Vec<u8>) {
    if first {
        out.extend([0x78, 0x01]);
    }
    stored(&length(0), out);
    // An empty stored block makes Go's decompressor flush its output.
    stored(&[], out);
}
