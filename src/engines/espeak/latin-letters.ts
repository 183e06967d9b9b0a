/** Small capitals, as styled texts have them, and the ɡ of phonetics: no form of Unicode leads to the letters that they show. */
const SMALL = new Map(
  Array.from('ᴀaʙbᴄcᴅdᴇeꜰfɢgɡgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz'.matchAll(/(.)(.)/gu), ([, small, letter]) => [
    small!,
    letter!,
  ]),
)
/** The last of the Latin letters that eSpeak reads in every language. */
const LAST_READ = 'ɏ'
const LATIN_LETTER = /(?=\p{L})\p{Script=Latin}/u

/**
 * A Latin letter as eSpeak reads it: it spells others by the numbers of their codes. Vietnamese ế is ê, a raised ᵗ is t; what leads to
 * no such letter stays. Pure.
 */
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
