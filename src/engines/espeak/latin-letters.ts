const SMALL = new Map(
  Array.from('ᴀaʙbᴄcᴅdᴇeꜰfɢgɡgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz'.matchAll(/(.)(.)/gu), ([, small, letter]) => [
    small!,
    letter!,
  ]),
)
const LAST_READ = 'ɏ'
const LATIN_LETTER = /(?=\p{L})\p{Script=Latin}/u

/** Returns the letter that eSpeak reads (ế as ê, ᵗ as t), because eSpeak would spell others as codes. Pure. */
export function readableLatin(letter: string): string {
  if (letter <= LAST_READ || !LATIN_LETTER.test(letter)) return letter
  const small = SMALL.get(letter)
  if (small !== undefined) return small
  const [base = letter, ...marks] = letter.normalize('NFKD')
  if (base > LAST_READ) return letter
  return marks.reduce((read, mark) => {
    const marked = `${read}${mark}`.normalize('NFC')
    return marked.length === 1 && marked <= LAST_READ ? marked : read
  }, base)
}
