import { describe, expect, test } from 'vitest'
import { withoutWordsOf } from '../../src/engines/server-failure.ts'

const A_SECOND = 1000

describe('the words of a server', () => {
  test.each([
    ['as it was sent', 'Hello confidential matter', 'cannot read Hello confidential', 'cannot read … …'],
    ['behind the line end of JSON', 'first\nHello', String.raw`bad "first\nHello"`, 'bad "…"'],
    ['in the ASCII of JSON', '秘密 élan', String.raw`bad "\u79d8\u5bc6 \u00e9lan"`, 'bad "… …"'],
    ['as a part of an address', 'my private words', 'bad my%20private%20words?', 'bad …?'],
    ['as a part of an address beyond ASCII', '秘密', 'bad %E7%A7%98%E5%AF%86', 'bad …'],
  ])('are kept without a text %s', (_title, sent, told, kept) => {
    expect(withoutWordsOf(told, [sent])).toBe(kept)
  })

  test.each([String.raw`no such file C:\models\name.bin`, '100% full, 95%20', String.raw`\u00 \q %zz`])(
    'are kept as they are where nothing of them was sent: %s',
    (told) => {
      expect(withoutWordsOf(told, ['Hello confidential matter'])).toBe(told)
    },
  )

  test('of a long answer are read for as long as they are kept, however much was sent', () => {
    const sent = Array.from({ length: 150_000 }, (_nothing, n) => `word${n}`).join(' ')
    const began = performance.now()
    expect(withoutWordsOf(`cannot read ${sent.repeat(20)}`, [sent])).toMatch(/^cannot read(?: …)+$/)
    expect(performance.now() - began).toBeLessThan(A_SECOND)
  })
})
