import { describe, expect, test } from 'vitest'
import { type ReadOptions, read } from '../../src/reading/read.ts'

/**
 * Claims how a language reads: a table for each kind, a case on each line with its written and its spoken form between a bar.
 * The spoken forms are compared as they are: case, punctuation and spaces included.
 */
export function describeReadings(
  language: string,
  tables: Readonly<Record<string, string>>,
  options: ReadOptions = {},
) {
  describe(`${[language, options.variant].filter(Boolean).join(' of ')} reads as a person does`, () => {
    test.each(Object.entries(tables))('%s', (_kind, table) => {
      const cases = rowsOf(table)
      const spoken = cases.map(([written]) => [written, read(written, language, options).spoken])
      expect(spoken).toEqual(cases)
    })
  })
}

const rowsOf = (table: string): [written: string, spoken: string][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.trim()) as [string, string])
