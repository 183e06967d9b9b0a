import { describe, expect, test } from 'vitest'
import { bookOf, read } from '../../src/reading/read.ts'

const LANGUAGES = [
  'Chinese',
  'English',
  'Japanese',
  'Korean',
  'French',
  'German',
  'Italian',
  'Spanish',
  'Portuguese',
  'Russian',
]

describe('the door of the reading', () => {
  test('a text of an unknown language stays as it is', () => {
    expect(read('5 km', 'Klingon')).toEqual({ spoken: '5 km', tokens: [] })
    expect(read('5 km', 'toString')).toEqual({ spoken: '5 km', tokens: [] })
  })

  test.each(LANGUAGES)(
    'each pattern is a regular expression, though it is built when it is first tried: %s',
    (language) => {
      const rules = bookOf(language, undefined)?.rules ?? []
      expect(rules.length).toBeGreaterThan(50)
      expect(rules.filter(({ pattern }) => !pattern.regexp.sticky)).toEqual([])
    },
  )

  test.each(LANGUAGES)('a number of any length has words wherever it stands: %s', (language) => {
    for (let length = 15; length < 44; length++)
      for (const around of [
        '#',
        '# km',
        '$ #',
        '# €',
        '# euros',
        'mit # kg',
        '#. Mai',
        '# mujeres',
        '# лет',
        '#/3',
        '1/#',
        '#,5 %',
        '-# Uhr',
        '#º',
        '#人',
      ])
        expect(read(around.replace('#', '1'.repeat(length)), language).spoken).not.toMatch(/\d{3}/)
  })

  test.each(LANGUAGES)('an empty text and a plain one have no tokens: %s', (language) => {
    expect(read('', language)).toEqual({ spoken: '', tokens: [] })
    expect(read(' \n\t', language)).toEqual({ spoken: ' \n\t', tokens: [] })
  })

  test('tokens stand at code points of the text, behind characters of two units too', () => {
    const text = '𝒜𝒷 paga 5 € y 3 km'
    const { tokens } = read(text, 'Spanish')
    const points = Array.from(text)
    expect(tokens.map(({ start, length }) => points.slice(start, start + length).join(''))).toEqual([
      '𝒜𝒷',
      '5 €',
      '3 km',
    ])
    expect(tokens.map(({ kind, spoken }) => [kind, spoken])).toEqual([
      ['abbreviation', 'Ab'],
      ['money', 'cinco euros'],
      ['measure', 'tres kilómetros'],
    ])
  })

  test.each(LANGUAGES)('tokens are in order, do not overlap and are part of what is spoken: %s', (language) => {
    const text = '😀 1/2 $5.50 (10:30) 3-5 a@b.com 12 % № 7 «x» 2024-05-03 ★ 100 km/h … 21'
    const { spoken, tokens } = read(text, language)
    const [length, starts] = [Array.from(text).length, tokens.map(({ start }) => start)]
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(tokens.length).toBeGreaterThan(5)
    let end = 0
    let heard = 0
    for (const token of tokens) {
      expect(token.start).toBeGreaterThanOrEqual(end)
      end = token.start + token.length
      heard = spoken.indexOf(token.spoken, heard) + token.spoken.length
      expect(spoken.indexOf(token.spoken)).toBeGreaterThanOrEqual(0)
    }
    expect(end).toBeLessThanOrEqual(length)
    expect(spoken).not.toMatch(/\d/)
  })

  test('Portuguese of Portugal has its own numbers, units and days', () => {
    const text = 'No dia 1 de junho, 16 km e 2,50 €.'
    expect(read(text, 'Portuguese').spoken).toBe(
      'No dia primeiro de junho, dezesseis quilômetros e dois euros e cinquenta centavos.',
    )
    expect(read(text, 'Portuguese', { variant: 'PT' }).spoken).toBe(
      'No dia um de junho, dezasseis quilómetros e dois euros e cinquenta cêntimos.',
    )
  })

  test('a text is read in the same way each time', () => {
    const once = read('El 5 de mayo, 21 libras.', 'Spanish')
    expect(read('El 5 de mayo, 21 libras.', 'Spanish')).toEqual(once)
  })
})
