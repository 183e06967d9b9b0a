import { expect, test } from 'vitest'
import type { Language } from '../../../src/engines/espeak/detect-language.ts'
import { findWords } from '../../../src/voice/timing/time-speech.ts'

const wordsOf = (text: string, language: Language = 'English') =>
  findWords(text, language).map(({ start, end }) => text.slice(start, end))

test.each<[Language, string, string]>([
  ['English', 'The price will be $100 after 9:30PM.', 'The|price|will|be|$100|after|9:30PM'],
  ['English', 'From US$1,299.99 to 50% (-5°C), 3/4 or ±3.', 'From|US$1,299.99|to|50%|-5°C|3/4|or|±3'],
  ['English', 'Write to ann.lee+x@mail.example.org, now!', 'Write|to|ann.lee+x@mail.example.org|now'],
  [
    'English',
    'See https://example.com/a-b?c=d#e. Then example.com/docs.',
    'See|https://example.com/a-b?c=d#e|Then|example.com/docs',
  ],
  [
    'English',
    'Call 555-0100 on 2026-11-28, #news by @ann: COVID-19.',
    'Call|555-0100|on|2026-11-28|#news|by|@ann|COVID-19',
  ],
  ['English', 'A well-known 20-year-old in C++ and C#...', 'A|well|known|20-year-old|in|C++|and|C#'],
  ['English', 'Tom & Jerry: 2 + 2 = 4, 100km/h - “$5”', 'Tom|&|Jerry|2|+|2|=|4|100km/h|$5'],
  ['English', 'Intro......7 — ok…', 'Intro|7|ok'],
  ['German', 'Um 9.30 Uhr: 1.299,99 € und 50 %, am 3.10.2026.', 'Um|9.30|Uhr|1.299,99|€|und|50|%|am|3.10.2026'],
  ['French', 'À 9h30, 1 299,99 €, 20 % et 5€/kg', 'À|9h30|1|299,99|€|20|%|et|5€/kg'],
  ['Italian', 'Costa €5, alle 9:30.', 'Costa|€5|alle|9:30'],
  ['Spanish', '¿Cuesta 5€ a las 9:30?', 'Cuesta|5€|a|las|9:30'],
  ['Portuguese', 'R$ 5 ou R$5 às 9:30.', 'R$|5|ou|R$5|às|9:30'],
  ['Russian', 'Цена 100₽ в 9:30, №5.', 'Цена|100₽|в|9:30|№5'],
  ['Korean', '가격은 ₩12,000 오전 9:30입니다.', '가격은|₩12,000|오전|9:30|입니다'],
  ['Chinese', '价格是$100，9:30开始，涨50%。', '价格|是|$100|9:30|开始|涨|50%'],
  ['Japanese', '9:30に100円で50%です。', '9:30|に|100|円|で|50%|です'],
])('in %s what is written as one is one word: %s', (language, text, words) => {
  expect(wordsOf(text, language).join('|')).toBe(words)
})

test('words are in order and none is over another', () => {
  const text = '$ $5$ 5 % #a#b @@ a@b.cc@d +-+ 1:2:3 https:// www. --x 9..9 €€ 5€€5 & && \u{1F600}5'
  let end = 0
  for (const word of findWords(text, 'English')) {
    expect([word.start >= end, word.end > word.start]).toEqual([true, true])
    end = word.end
  }
})
