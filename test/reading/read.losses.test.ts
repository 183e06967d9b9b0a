import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { read } from '../../src/reading/read.ts'

const LANGUAGES = [
  ['Chinese', /[\p{Script=Latin}\p{Script=Han}]/u],
  ['English', /\p{Script=Latin}/u],
  ['French', /\p{Script=Latin}/u],
  ['German', /\p{Script=Latin}/u],
  ['Italian', /\p{Script=Latin}/u],
  ['Japanese', /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u],
  ['Korean', /[\p{Script=Latin}\p{Script=Hangul}]/u],
  ['Portuguese', /\p{Script=Latin}/u],
  ['Russian', /[\p{Script=Latin}\p{Script=Cyrillic}]/u],
  ['Spanish', /\p{Script=Latin}/u],
] as const

/** Scripts that people write today: letters of others stay in the text. */
const LETTERS =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Thai}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Ethiopic}]/u
/** Marks of trade are silent, and so are lines and boxes. */
const SILENT = /[®™℠\u2500-\u259f]/u
/** Signs that people write, besides those that CLDR names. */
const IN_USE = [
  '|^~¤¦',
  '∨∧≔≜≝∛∜∖∡∢∁∐∭∯∰',
  '⌘⌥⇧⌃⏎⌫⌦⎋⇥⇤⇪⇞⇟⎇⏻␣⌂⌀⌒',
  '♔♕♖♗♘♙♚♛♜♝♞♟♠♡♢♣♤♥♦♧',
  '♈♉♊♋♌♍♎♏♐♑♒♓☉☽☿♁♃♄♅♆♇',
  '♩♪♫♬♭♮♯',
  '☐☑☒✓✔✕✖✗✘✙✱✲✳✿❀❖',
  '★☆✦✧⭐☎☏✉✂✎☞☜☚☛☟',
  '⚀⚁⚂⚃⚄⚅⚐⚑⚢⚣⚤⚭⚮☰☷☥☧☬☭☤',
  '⁰ⁱⁿ⁺₀₊ₐₙ℀℃℅ℓ№℗℞℡℥Ω℧KÅ℮⅋ⅷⅫↂ',
  '①⑳⑴⒈ⓐⒶ⓪⓫❶➀㉈〡',
  '㎏㎡㎥㏄㍿㈱㈜㊤㋿㌔㍉㏍',
  '⠁⠿⣿␀␛␤',
].join('')
const ARROWS = '→⟶➔➜⟹⟵⤵⬆⮕⭢↳⇢'

function charactersLike(pattern: RegExp): string[] {
  const characters = Array.from({ length: 0xffff - 0xa0 }, (_unused, index) => String.fromCharCode(0xa0 + index))
  return characters.filter((character) => pattern.test(character))
}

/** The words for a character that stands alone in a sentence. */
function saidOf(character: string, language: string): string {
  // Russian says "x" in letters of its own.
  const word = language === 'Russian' ? 'да' : 'x'
  const { spoken } = read(`${word} ${character} ${word}`, language)
  return spoken.slice(word.length, -word.length).trim()
}

describe.each(LANGUAGES)('nothing is lost in %s', (language, script) => {
  test('letters are those of the language, or have words in them', () => {
    const letters = charactersLike(/[\p{Lu}\p{Ll}\p{Lo}]/u).filter((letter) => LETTERS.test(letter))
    const lost = letters.filter((letter) => !script.test(saidOf(letter, language)))
    expect(lost.length / letters.length).toBeLessThan(0.01)
    expect(lost.filter((letter) => /[Α-Ωα-ωА-яא-ת]/.test(letter))).toEqual([])
  })

  test('kana and Chinese characters are those of the language, or have words in it', () => {
    const letters = charactersLike(/[ぁ-ゖァ-ヺ一-龥]/u)
    expect(letters.filter((letter) => !script.test(saidOf(letter, language)))).toEqual([])
    expect(read('的あの', 'Chinese').spoken).not.toMatch(/\p{Script=Hiragana}/u)
    expect(read('大韓의', 'Korean').spoken).not.toMatch(/\p{Script=Han}/u)
  })

  test('digits of all scripts and numerals in circles have words', () => {
    const lost = charactersLike(/[\p{Nd}①-⓿❶-➓Ⅰ-ⅿ½⅓¼¾⅛]/u).filter((digit) => !/\p{L}/u.test(saidOf(digit, language)))
    expect(lost).toEqual([])
  })

  test('currency signs have words', () => {
    const signs = charactersLike(/\p{Sc}/u).filter((sign) => !SILENT.test(sign))
    expect(signs.filter((sign) => !/\p{L}/u.test(saidOf(sign, language)))).toEqual([])
  })

  test('arrows, operators and signs in common use have words', () => {
    const signs = [...IN_USE, ...ARROWS, ...charactersLike(/[\u2190-\u22ff]/)]
    expect(signs.filter((sign) => !/\p{L}/u.test(saidOf(sign, language)))).toEqual([])
  })

  test('signs at full width have the words of their plain form', () => {
    expect([...'＋＝＜＞｜～'].filter((sign) => !/\p{L}/u.test(saidOf(sign, language)))).toEqual([])
  })

  test('symbols that CLDR names have words', () => {
    const symbols = readFileSync('src/reading/symbol-names/english.txt', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 1))
      .filter((symbol) => !SILENT.test(symbol))
    expect(symbols.filter((symbol) => !/\p{L}/u.test(saidOf(symbol, language)))).toEqual([])
  })

  test('marks of trade are silent', () => {
    expect(['®', '™', '℠'].map((mark) => saidOf(mark, language))).toEqual(['', '', ''])
  })

  test('letters of mathematics and raised letters are plain ones', () => {
    expect(saidOf('𝗕𝗼𝗹𝗱', language)).toBe(saidOf('Bold', language))
    expect(saidOf('1ᵗʰ', language)).toMatch(/\p{L}{2}/u)
    expect(read('𝟗𝟘', language).spoken).toBe(read('90', language).spoken)
  })

  test('a bar is said between two things, and in a table it is not', () => {
    const bar = saidOf('|', language)
    expect(read('да|да', language).spoken).toContain(bar)
    expect(read('| да | да |\n|----|----|\n| да | да |', language).spoken).not.toContain(bar)
  })
})
