import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { comparable, readingCases } from '../../bench/reading-cases.ts'
import { LANGUAGES } from '../../src/engines/espeak/detect-language.ts'

const directory = mkdtempSync(join(tmpdir(), 'sonant-cases-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('without a directory the cases are those of the tests of all languages', () => {
  const cases = readingCases(null)
  expect(new Set(cases.map(({ language }) => language))).toEqual(new Set(LANGUAGES))
  expect(cases.length).toBeGreaterThan(500)
  expect(cases).toContainEqual({
    language: 'English',
    kind: 'score',
    written: 'They won 4-2.',
    spoken: 'They won four to two.',
  })
})

test('the files of a directory are cases of the language that names them, without their heading', () => {
  writeFileSync(join(directory, 'de.tsv'), 'kind\twritten\tspoken\ndate\tam 3. Mai\tam dritten Mai\n')
  writeFileSync(join(directory, 'notes.tsv'), 'kind\twritten\tspoken\ndate\ta\tb\n')
  const date = { language: 'German', kind: 'date', written: 'am 3. Mai', spoken: 'am dritten Mai' }
  expect(readingCases(directory)).toEqual([date])
})

test('forms are the same without capitals, punctuation, hyphens and "and"', () => {
  expect(comparable('One hundred and twenty-one, please!', 'English')).toBe('one hundred twenty one please')
  expect(comparable('五 月', 'Chinese')).toBe('五月')
  expect(comparable('Четвёртый', 'Russian')).toBe(comparable('четвертый', 'Russian'))
})
