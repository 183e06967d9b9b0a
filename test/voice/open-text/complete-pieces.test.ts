import { expect, test } from 'vitest'
import { completePieces } from '../../../src/voice/open-text/complete-pieces.ts'

const plain = { language: 'English', markup: 'none', isFirst: false, isFlushed: false } as const

test('a sentence is cut as soon as the space behind its end is there', () => {
  expect(completePieces('Hello there', plain)).toEqual([])
  expect(completePieces('Hello there.', plain)).toEqual([])
  expect(completePieces('Hello there. ', plain)).toEqual(['Hello there. '])
  expect(completePieces('Hello there! How are you? I am', plain)).toEqual(['Hello there! ', 'How are you? '])
})

test('abbreviations, ordinals and parts of numbers end no sentence', () => {
  for (const text of ['I saw Dr. ', 'It costs $3.', 'Version v2.1', 'Chapter 3. ', 'At the U. ', 'Ask Prof. '])
    expect(completePieces(text, plain)).toEqual([])
  expect(completePieces('He lives at No. 3. Then he left. ', plain).at(-1)).toBe('Then he left. ')
})

test('a sentence of a language without spaces is cut at its sign', () => {
  expect(completePieces('こんにちは。', { ...plain, language: 'Japanese' })).toEqual(['こんにちは。'])
  expect(completePieces('你好。今天', { ...plain, language: 'Chinese' })).toEqual(['你好。'])
})

test('a sentence whose markup is open waits for the rest of it', () => {
  const open = 'Say <prosody rate="slow">this. And '
  expect(completePieces(open, { ...plain, markup: 'ssml' })).toEqual([])
  expect(completePieces('This is **very. Very** good. ', { ...plain, markup: 'markdown' })).toEqual([
    'This is **very. Very** good. ',
  ])
  expect(completePieces('Wait. [pause:1', { ...plain, markup: 'pauses' })).toEqual(['Wait. '])
})

test('a long first sentence is cut at a clause, a later one is not', () => {
  const long = `${'this is a rather long sentence, '.repeat(5)}which has no end`
  const [first] = completePieces(long, { ...plain, isFirst: true })
  expect(first!.trim().endsWith(',')).toBe(true)
  expect(first!.length).toBeLessThanOrEqual(120)
  expect(completePieces(long, plain)).toEqual([])
})

test('a flush takes everything that can be heard', () => {
  expect(completePieces('Hello. And then', { ...plain, isFlushed: true })).toEqual(['Hello. ', 'And then'])
  expect(completePieces(' ... ', { ...plain, isFlushed: true })).toEqual([])
})

test('nothing is lost or doubled, however the text is cut', () => {
  const text = 'One. Two? Three! "Four." (Five.) Six... Seven; eight: nine. \n\nTen. Dr. Eleven came at 3. He left. '
  for (let size = 1; size < 12; size++) {
    let [rest, spoken] = ['', '']
    for (let at = 0; at < text.length; at += size) {
      rest += text.slice(at, at + size)
      const pieces = completePieces(rest, { ...plain, isFirst: spoken === '' })
      spoken += pieces.join('')
      rest = rest.slice(pieces.join('').length)
    }
    expect(spoken + rest).toBe(text)
  }
})

test('open markup of 10,000 characters takes less than a second of processor time', () => {
  const texts = [
    ['ssml', '<speak>'],
    ['pauses', '['],
    ['markdown', '`'],
  ] as const
  for (const [markup, opening] of texts) {
    const before = process.cpuUsage().user
    expect(completePieces(opening + 'Hi. '.repeat(2480), { ...plain, markup })).toEqual([])
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(1)
  }
})

test('markup that is closed behind many sentences is one piece', () => {
  const text = `**${'Hi there. '.repeat(60)}** Now. `
  expect(completePieces(text, { ...plain, markup: 'markdown' })).toEqual([text])
})
