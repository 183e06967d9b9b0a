import { types } from 'pg'
import { expect, test } from 'vitest'
import { histogramTypes } from '../../../src/jobs/rollup/histogram.ts'

/** numeric_send writes this for 3e24: three jobs in bucket 2, whose digits begin at the seventh place of four. */
const SENT = Buffer.from('0001000600000000' + '0003', 'hex')
const PAIR = 2 ** 40

test('a sum is read in either form in which a database may write bytes', () => {
  const read = histogramTypes((pairs) => pairs).getTypeParser(types.builtins.BYTEA, 'text') as (text: string) => unknown
  const escaped = [...SENT].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  expect([read(`\\x${SENT.toString('hex')}`), read(escaped)]).toEqual(Array(2).fill([2 * PAIR + 3]))
})
