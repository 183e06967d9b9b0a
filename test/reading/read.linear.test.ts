import { expect, test } from 'vitest'
import { read } from '../../src/reading/read.ts'
import { leastCpu } from '../setup/load/abuses.ts'

const MAX_CPU_MS = 8000
const CHARACTERS = 1_000_000
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
/** Each one that may begin a number, an address, a name or a list, next to itself only. */
const PIECES = [
  '1',
  '1.',
  '1,',
  '1/',
  '1-',
  '1:',
  ' 1',
  '.',
  '(',
  '/',
  'a',
  'A',
  'a.',
  'a1',
  "'",
  '"',
  '-',
  '@',
  '$',
  'I',
  '_1',
  '#a',
  '½',
  '⁶',
  '1%',
  '(1)',
  '|',
  '大',
  '一',
  '가',
]

test.each(LANGUAGES)(
  `a megabyte of repeated signs takes less than ${MAX_CPU_MS} ms of processor time: %s`,
  async (language) => {
    const length = CHARACTERS / PIECES.length
    const text = PIECES.map((piece) => piece.repeat(length / piece.length)).join('\n')
    const { cpuMs } = await leastCpu(async () => read(text, language), MAX_CPU_MS)
    expect(cpuMs).toBeLessThan(MAX_CPU_MS)
  },
)
