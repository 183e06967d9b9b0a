import { afterAll, describe, expect, test } from 'vitest'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { spokenText } from '../../../src/engines/espeak/spoken-part.ts'
import { withLettersApart } from '../../../src/engines/espeak/spoken-text.ts'
import { openLog } from '../../../src/values/log.ts'

const engine = openEspeak({ threads: 1, log: openLog('silent') })
afterAll(() => engine.close())

const speak = (text: string) => {
  const voice = { slug: 'any', kind: 'preset', engineVoice: 'en-us+m3', referenceAudio: null, referenceText: null }
  return engine.speak({ text, voice, signal: new AbortController().signal, extra: {} } as Parameters<
    typeof engine.speak
  >[0])
}

describe('one and the same letter again and again', () => {
  test.each(['x ', 'x. ', 'X x ', 'x - ', '& ', '* '])('is said as often as it stands there: %s', async (letter) => {
    const [some, many] = [await speak(letter.repeat(3)), await speak(letter.repeat(30))]
    expect(many.audio.samples.length / some.audio.samples.length).toBeGreaterThan(6)
  })

  test('has the times of its words where they stand in the text', async () => {
    const text = 'x '.repeat(20)
    const { words = [] } = await speak(text)
    expect(words.map(({ offset }) => offset)).toEqual(Array.from({ length: 20 }, (_, n) => 2 * n))
  })

  test('gets a comma behind every third, and any other text none', () => {
    const apart = (text: string) =>
      spokenText(withLettersApart([...text].map((spoken, start) => ({ spoken, start, length: 1 }))))
    expect(apart('x x x x X. x. x. x.')).toBe('x x x,x X. x, x. x.')
    for (const text of [
      'x x x',
      'x y x y x y',
      'xx xx xx xx',
      '1 1 1 1 1',
      'a a a ab',
      '- - - - -',
      'x x x, x x x, x x x',
    ])
      expect(apart(text)).toBe(text)
  })
})
