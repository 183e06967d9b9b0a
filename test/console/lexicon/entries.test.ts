import { describe, expect, test } from 'vitest'
import {
  type Entry,
  errorsOf,
  imported,
  readFile,
  shown,
  toFile,
  withEntry,
} from '../../../src/console/lexicon/entries.ts'

const entry = (grapheme: string, alias = 'x', language: string | null = null): Entry => ({ language, grapheme, alias })
const FILE = [entry('SQL', 'sequel', 'English'), entry('gif', 'jif')]

describe('the entries of a lexicon', () => {
  test('come back from the file that they were exported to, as REST has it', () => {
    expect(JSON.parse(toFile(FILE))).toEqual({
      entries: [
        { language: 'English', grapheme: 'SQL', alias: 'sequel' },
        { grapheme: 'gif', alias: 'jif' },
      ],
    })
    expect(readFile(toFile(FILE))).toEqual(FILE)
    expect(readFile('[{"grapheme":"a","alias":"b"}]')).toEqual([entry('a', 'b')])
  })

  test.each([
    ['<lexicon>', 'This is not a file of words'],
    ['{}', 'no list of words'],
    ['[]', 'There are no words'],
    ['[{"grapheme":"a","alias":"b"},{"grapheme":1,"alias":"b"}]', 'Word 2 of this file needs'],
    [
      '[{"grapheme":"a","alias":"b"},{"grapheme":"a","alias":"c"}]',
      '"a" is twice in this file, the second time as word 2.',
    ],
  ])('of %s are refused with a reason', (text, reason) => {
    expect(() => readFile(text)).toThrow(reason)
  })

  test('change in their place, and stand once for a language', () => {
    const changed = withEntry(FILE, entry('SQL', 'squeal', 'English'), FILE[0]!)
    expect(changed.map(({ alias }) => alias)).toEqual(['squeal', 'jif'])
    const renamed = withEntry(FILE, entry('GIF', 'jif'), FILE[1]!)
    expect(renamed.map(({ grapheme }) => grapheme)).toEqual(['SQL', 'GIF'])
    expect(withEntry(FILE, entry('SQL', 'other', 'German'), null).length).toBe(3)
    expect(errorsOf(entry('gif', 'y'), FILE).grapheme).toContain('is in the lexicon already')
    expect(errorsOf(entry('ok', '...'), FILE).alias).toContain('nothing that can be spoken')
    expect(errorsOf(entry('new', 'fine'), FILE)).toEqual({})
  })

  test('are found by word or alias and sorted; an import wins over what was there, or replaces it', () => {
    expect(shown(FILE, '', '').map(({ grapheme }) => grapheme)).toEqual(['gif', 'SQL'])
    expect([shown(FILE, 'SEQ', '').length, shown(FILE, '', 'English').length]).toEqual([1, 1])
    const file = [entry('gif', 'gee eye eff'), entry('API', 'A P I')]
    expect(imported(FILE, file, false).map(({ alias }) => alias)).toEqual(['sequel', 'gee eye eff', 'A P I'])
    expect(imported(FILE, file, true)).toEqual(file)
  })
})
