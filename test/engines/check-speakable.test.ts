import { describe, expect, test } from 'vitest'
import { checkSpeakable } from '../../src/engines/check-speakable.ts'

const check = (text: string, language: unknown = 'auto', engineVoice: string | null = 'en-us+f1', kind = 'espeak') =>
  checkSpeakable({ kind, engineVoice, language, text })

describe('the embedded engine refuses', () => {
  test.each([
    ['Arabic', 'مرحبا بالعالم'],
    ['Hebrew', 'שלום עולם'],
    ['Thai', 'สวัสดีชาวโลก'],
    ['Greek', 'Καλημέρα'],
    ['Ethiopic', 'ሰላም'],
  ])('a text in %s, with the script', (script, text) => expect(check(text)).toMatch(`${script} letters`))

  test.each(['ⵜⴰⵎⴰⵣⵉⵖⵜ', '𐍈𐍉', 'ᚠᚢᚦ'])('a text in a script that eSpeak knows in no language: %s', (text) =>
    expect(check(text)).toBe(
      'is written in letters of another script, which this voice does not read in American English',
    ),
  )

  test.each(['🎉', '👩‍👩‍👧‍👦 ❤️', '...', '?!', '★', '\u2800'])('%j alone', (text) => {
    expect(check(text)).toBe('must hold a letter, a digit or a symbol that can be spoken')
  })

  test('a text in another script than that of the language which was asked for', () => {
    expect(check('你好，世界', 'English')).toMatch('Chinese characters')
    expect(check('Привет, мир', 'German')).toMatch('Cyrillic letters')
    expect(check('مرحبا بالعالم ok')).toMatch('Arabic letters')
    expect(check('吗这说们', 'Japanese')).toBe(
      'is written in Chinese characters, which this voice does not read in Japanese',
    )
  })

  test.each(['这们', '翀', '这们を说吗', '陈伟 吗这们 OK'])(
    'a text in Japanese with more kanji that no dictionary can have than else: %s',
    (text) => expect(check(text, 'Japanese')).toMatch('Chinese characters'),
  )
})

describe('kanji that no dictionary can have are passed over in a text in Japanese that is mostly read', () => {
  test.each([
    'はじめまして、翀です。よろしくおねがいします。',
    'こんにちは、わたしのなまえは陈伟です。',
    'アプリで「扫」をおしてください',
    '「仝」はくりかえしのきごうです',
    'わたしのなまえは「鈺」です',
    'ここは「凰」というおみせです',
    'Hello my name is 陈伟',
    '这们は知らないものなのです',
    '國體、剝、𠮷、葛\u{e0100}、人々',
  ])('%s', (text) => {
    expect(check(text, 'Japanese')).toBeNull()
    expect(check(text)).toBeNull()
  })
})

describe('it takes', () => {
  test.each([
    'नमस्ते दुनिया',
    'გამარჯობა',
    'Привет',
    '你好',
    '東京',
    '안녕',
    '12',
    '٣٤',
    '100 %',
    'x²',
    'α',
    'Ｈｅｌｌｏ',
  ])('%s', (text) => expect(check(text)).toBeNull())
  test.each(['Well done 🎉🎉🎉', 'The word مرحبا means hello.', '良いね 👍', '1️⃣'])('%s, which is mostly read', (text) =>
    expect(check(text)).toBeNull(),
  )
  test('what the language of the voice itself reads', () => expect(check('مرحبا', 'auto', 'ar+m3')).toBeNull())
  test('what other engines are to judge', () => {
    expect(check('مرحبا', 'auto', 'nova', 'openai-speech')).toBeNull()
    expect(check('🎉', 'auto', null)).toBeNull()
  })
})

test('the longest text is judged in a moment, whatever it is made of', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
  for (const text of ['今'.repeat(10_000), 'مرحبا'.repeat(2000), 'ﷺ'.repeat(10_000), '🎉'.repeat(10_000), many]) {
    check(text)
    const began = process.threadCpuUsage().user
    check(text, 'English')
    expect((process.threadCpuUsage().user - began) / 1000).toBeLessThan(50)
  }
})
