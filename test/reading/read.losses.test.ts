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
/** Trademarks are silent, and so are lines, bullets and footnotes. */
const SILENT = /[®™℠\u2500-\u259f¤]/u

function charactersLike(pattern: RegExp): string[] {
  const characters = Array.from({ length: 0xffff - 0xa0 }, (_unused, index) => String.fromCharCode(0xa0 + index))
  return characters.filter((character) => pattern.test(character))
}

/** The words for a character that stands alone in a sentence. */
const saidOf = (character: string, language: string): string =>
  read(`x ${character} x`, language).spoken.replace(/^x ?/i, '').replace(/ ?x$/i, '').trim()

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

  test('stars, ticks and notes that CLDR has no name for share one', () => {
    expect([...'★☆✓✗✘♩♫♬♡☐☏➔'].filter((symbol) => !/\p{L}/u.test(saidOf(symbol, language)))).toEqual([])
  })

  test('symbols that CLDR names have words', () => {
    const symbols = readFileSync('src/reading/symbol-names/english.txt', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 1))
      .filter((symbol) => !SILENT.test(symbol))
    expect(symbols.filter((symbol) => !/\p{L}/u.test(saidOf(symbol, language)))).toEqual([])
  })
})
