//! The bytes behind some of the references: small pictures, letters on one page, tables.

use super::dice::Dice;

/// The size of a picture.
pub(super) const WIDTH: u8 = 96;
/// The size of a picture.
pub(super) const HEIGHT: u8 = 72;

const SKY: u8 = 12;
const LAND: u8 = 4;
const MAX_LINES: usize = 50;
const LINE_CHARS: usize = 92;

/// A sky over hills, as a PNG of sixteen colours.
pub(super) fn picture(dice: &mut Dice) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &[0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 4, 3, 0, 0, 0]);
    chunk(&mut png, *b"PLTE", &palette(dice));
    chunk(&mut png, *b"IDAT", &stored(&pixels(dice)));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn palette(dice: &mut Dice) -> Vec<u8> {
    let mut fade = |colours: u8| -> Vec<u8> {
        let ends: [[usize; 3]; 2] = [(); 2].map(|()| [(); 3].map(|()| dice.below(256)));
        let steps = usize::from(colours);
        let colour = |step| [0, 1, 2].map(|part| (ends[0][part] * (steps - step) + ends[1][part] * step) / steps);
        (0..steps).flat_map(colour).map(|part| u8::try_from(part).unwrap_or(u8::MAX)).collect()
    };
    [fade(SKY), fade(LAND)].concat()
}

/// Two pixels a byte, each row after the number of its filter: none.
fn pixels(dice: &mut Dice) -> Vec<u8> {
    let (horizon, steepness) = (dice.below(20) + 30, dice.below(4) + 2);
    let hill = |x: usize| horizon + x.abs_diff(usize::from(WIDTH) / 2) / steepness;
    let pixel = |x: usize, y: usize| match y.checked_sub(hill(x)) {
        None => u8::try_from(y * usize::from(SKY) / hill(x)).unwrap_or_default(),
        Some(depth) => SKY + u8::try_from(depth / 12).unwrap_or_default().min(LAND - 1),
    };
    let row = |y: usize| {
        let pairs = (0..usize::from(WIDTH)).step_by(2).map(move |x| pixel(x, y) << 4 | pixel(x + 1, y));
        std::iter::once(0).chain(pairs)
    };
    (0..usize::from(HEIGHT)).flat_map(row).collect()
}

/// A zlib stream of one block that is not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let head = [&[0x78, 0x01, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [&head, bytes, &(b << 16 | a).to_be_bytes()].concat()
}

fn chunk(png: &mut Vec<u8>, name: [u8; 4], bytes: &[u8]) {
    let body = [&name, bytes].concat();
    png.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    png.extend(&body);
    png.extend(crc(&body).to_be_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc)))
}

/// A text on one page, as a PDF; what does not fit is left out.
pub(super) fn page(text: &str) -> Vec<u8> {
    let mut content = b"BT /F1 11 Tf 14 TL 60 780 Td\n".to_vec();
    for line in text.lines().flat_map(wrapped).take(MAX_LINES) {
        content.push(b'(');
        for byte in line.chars().map(latin) {
            if matches!(byte, b'(' | b')' | b'\\') {
                content.push(b'\\');
            }
            content.push(byte);
        }
        content.extend(b") Tj T*\n");
    }
    content.extend(b"ET");
    let stream = [format!("<</Length {}>>\nstream\n", content.len()).as_bytes(), &content, b"\nendstream"].concat();
    let objects: [&[u8]; 5] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        &stream,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ];
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut places = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        places.extend([format!("{:010} 00000 n \n", pdf.len())]);
        pdf.extend(format!("{number} 0 obj\n").bytes().chain(object.iter().copied()).chain(*b"\nendobj\n"));
    }
    let table = pdf.len();
    pdf.extend(format!("xref\n0 6\n{places}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n").bytes());
    pdf
}

fn wrapped(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + word.len() >= LINE_CHARS {
            lines.push(word.to_owned());
        } else {
            let gap = if lines[last].is_empty() { "" } else { " " };
            lines[last].extend([gap, word]);
        }
    }
    lines
}

/// As the fonts of a PDF number letters; they have no others.
fn latin(letter: char) -> u8 {
    match letter {
        '€' => 0x80,
        '–' | '—' => b'-',
        '’' => b'\'',
        _ => u8::try_from(u32::from(letter)).unwrap_or(b'?'),
    }
}

/// A day of a gauge, as CSV.
pub(super) fn levels(dice: &mut Dice) -> Vec<u8> {
    let rows = (0..24).map(|hour| format!("{hour:02}:00,{}\n", dice.between(310, 540)));
    format!("time,level_cm\n{}", rows.collect::<String>()).into_bytes()
}
