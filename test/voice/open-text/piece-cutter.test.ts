import { expect, test } from 'vitest'
import { PieceCutter } from '../../../src/voice/open-text/piece-cutter.ts'

const plain = { language: 'English', markup: 'none' } as const

type Writing = ConstructorParameters<typeof PieceCutter>[0]

interface Call {
  readonly isFirst?: boolean
  readonly isFlushed?: boolean
}

function cut(text: string, { isFirst = false, isFlushed = false, ...writing }: Writing & Call): string[] {
  const cutter = new PieceCutter(writing)
  if (!isFirst) {
    cutter.add('Earlier. ')
    cutter.take(true)
  }
  cutter.add(text)
  return cutter.take(isFlushed)
}

test('a sentence is cut as soon as the space behind its end is there', () => {
  expect(cut('Hello there', plain)).toEqual([])
  expect(cut('Hello there.', plain)).toEqual([])
  expect(cut('Hello there. ', plain)).toEqual(['Hello there. '])
  expect(cut('Hello there! How are you? I am', plain)).toEqual(['Hello there! ', 'How are you? '])
})

test('abbreviations, ordinals and parts of numbers end no sentence', () => {
  for (const text of ['I saw Dr. ', 'It costs $3.', 'Version v2.1', 'Chapter 3. ', 'At the U. ', 'Ask Prof. '])
    expect(cut(text, plain)).toEqual([])
  expect(cut('He lives at No. 3. Then he left. ', plain).at(-1)).toBe('Then he left. ')
})

test('a sentence of a language without spaces is cut at its sign', () => {
  expect(cut('こんにちは。', { ...plain, language: 'Japanese' })).toEqual(['こんにちは。'])
  expect(cut('你好。今天', { ...plain, language: 'Chinese' })).toEqual(['你好。'])
})

test('a sentence whose markup is open waits for the rest of it', () => {
  const open = 'Say <prosody rate="slow">this. And '
  expect(cut(open, { ...plain, markup: 'ssml' })).toEqual([])
  expect(cut('This is **very. Very** good. ', { ...plain, markup: 'markdown' })).toEqual([
    'This is **very. Very** good. ',
  ])
  expect(cut('Wait. [pause:1', { ...plain, markup: 'pauses' })).toEqual(['Wait. '])
})

test('a long first sentence is cut at a clause, a later one is not', () => {
  const long = `${'this is a rather long sentence, '.repeat(5)}which has no end`
  const [first] = cut(long, { ...plain, isFirst: true })
  expect(first!.trim().endsWith(',')).toBe(true)
  expect(first!.length).toBeLessThanOrEqual(120)
  expect(cut(long, plain)).toEqual([])
})

test('a flush takes everything that can be heard', () => {
  expect(cut('Hello. And then', { ...plain, isFlushed: true })).toEqual(['Hello. ', 'And then'])
  expect(cut(' ... ', { ...plain, isFlushed: true })).toEqual([])
})

test('nothing is lost or doubled, however the text is cut', () => {
  const text = 'One. Two? Three! "Four." (Five.) Six... Seven; eight: nine. \n\nTen. Dr. Eleven came at 3. He left. '
  for (let size = 1; size < 12; size++) {
    const cutter = new PieceCutter(plain)
    let spoken = ''
    for (let at = 0; at < text.length; at += size) {
      cutter.add(text.slice(at, at + size))
      spoken += cutter.take(false).join('')
    }
    expect(spoken + cutter.rest).toBe(text)
  }
})

const OPENINGS = [
  ['ssml', '<speak>'],
  ['pauses', '['],
  ['markdown', '`'],
] as const

test.each(OPENINGS)('open %s of 10,000 characters takes less than a second, also word by word', (markup, opening) => {
  const before = process.cpuUsage().user
  const words = opening + 'Hi to you all. '.repeat(660)
  const cutter = new PieceCutter({ ...plain, markup })
  for (const word of words.split(/(?<= )/)) {
    cutter.add(word)
    expect(cutter.take(false)).toEqual([])
  }
  expect(cutter.rest).toBe(words)
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(1)
})

test('a document is one piece once it ends, however it comes, and one that cannot be read waits for a flush', () => {
  const text = `<speak>${'Hi there. '.repeat(60)}<break time="1s"/> Bye. </speak> `
  const broken = text.replace('1s', '1 year')
  for (const size of [1, 7, 100, text.length]) {
    const pieces = [text, broken].map((one) => {
      const cutter = new PieceCutter({ ...plain, markup: 'ssml' })
      const taken: string[] = []
      for (let at = 0; at < one.length; at += size) {
        cutter.add(one.slice(at, at + size))
        taken.push(...cutter.take(false))
      }
      const last = cutter.take(true)
      return [taken.join(''), (taken.join('') + last.join('')).trim()]
    })
    expect(pieces[0]?.[1]).toBe(text.trim())
    expect(pieces[1]).toEqual(['', broken.trim()])
  }
})

test('markup that is closed behind many sentences is one piece', () => {
  const text = `**${'Hi there. '.repeat(60)}** Now. `
  expect(cut(text, { ...plain, markup: 'markdown' })).toEqual([text])
})
